"""A description that is written in a cell of a notebook, or anywhere else in a program."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from textwrap import dedent
from typing import Any

from cipherassay.api.ciphers import Cipher, load
from cipherassay.errors import UsageError

_NAME = re.compile(r"[A-Za-z]\w*")


def cipher(text: str, known_answers: str = "", name: str = "description") -> Cipher:
    """Return the cipher that a text describes, in the language of cipher files (docs/language.md).

    The text is kept as a file in the cache, for results depend on it and errors name its lines.

    Parameters
    ----------
    text : str
        What would stand in a cipher file; its common indentation does not count.
    known_answers : str
        What would stand in ``NAME.kat.txt`` beside the file; they are checked.
    name : str
        How the file is called, without ``.py``.

    Raises
    ------
    UsageError
        ``U052``: the name is none for a file.
    DescriptionError
        ``Dxxx``: it is no description; says in which line.
    VerificationError
        ``K020``: a known answer is another.
    """
    from cipherassay.cache import cache_folder
    from cipherassay.results.runs import replace

    if not _NAME.fullmatch(name):
        raise UsageError("U052", f"a description cannot be called `{name}`", help="letters, digits and `_`")
    written = dedent(text).lstrip("\n")
    of_both = hashlib.sha256("\0".join((written, known_answers)).encode()).hexdigest()[:16]
    folder = cache_folder("descriptions") / of_both
    for file, content in ((f"{name}.py", written), (f"{name}.kat.txt", dedent(known_answers).lstrip("\n"))):
        path = folder / file
        if content and not (path.is_file() and path.read_text(encoding="utf-8") == content):
            replace(path, content.encode())
    return load(Path(folder, f"{name}.py"))


def cell_magic(shell: Any) -> None:
    """Register ``%%cipher NAME`` in a shell: the cell is a description, NAME becomes its cipher."""

    def magic(line: str, cell: str) -> Cipher:
        name = line.strip() or "description"
        made = cipher(cell, name=name)
        shell.user_ns[name] = made
        return made

    shell.register_magic_function(magic, "cell", "cipher")
