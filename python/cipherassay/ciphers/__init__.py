"""The cipher files: one module per cipher, found by scanning this folder."""

from __future__ import annotations

import ast
import re
import shlex
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path

from cipherassay.errors import UsageError, closest
from cipherassay.lang.cipher import Cipher
from cipherassay.lang.files import load_anew
from cipherassay.once import once

__all__ = [
    "Cipher", "aliases_of", "argument", "find", "load", "meant", "names", "of_package", "of_papers", "papers_table",
]  # fmt: skip

_FOLDER = Path(__file__).parent


def names() -> list[str]:
    """Return the names of all ciphers of the project, in alphabetical order."""
    return sorted(p.stem for p in _FOLDER.glob("*.py") if not p.stem.startswith("_"))


def of_papers() -> list[str]:
    """Return the names of the ciphers that the papers are about, in the order of their tables.

    They are what commands and reports are about where no cipher is named.
    """
    return [one["slug"] for one in papers_table()]


@cache
def papers_table() -> Sequence[Mapping[str, str]]:
    """Return slug, name and colour in reports of the papers' ciphers, in order (``of_papers.toml``)."""
    return tuple(tomllib.loads((_FOLDER / "of_papers.toml").read_text(encoding="utf-8"))["cipher"])


def find(name: str) -> str | None:
    """Return the name of a cipher of the project by one of its names, however spaced; None: there is none."""
    by_name = {_letters(one): one for one in names()}
    return by_name.get(_letters(name)) or _other_names().get(_letters(name))


def load(name_or_path: str | Path) -> Cipher:
    """Return a cipher by one of its names, or from a file.

    Raises
    ------
    UsageError
        U014: no such cipher or file. U018: a file that cannot be read, or is no Python file.
    DescriptionError
        D016: the file raises; D027, D029, D036: it does what `run_author_text` refuses. D024: it defines no
        cipher, or several.
    """
    text = str(name_or_path)
    if text.endswith(".py") or "/" in text:
        return load_anew(Path(text))
    found = find(text)
    if found is None:
        raise UsageError("U014", f"unknown cipher `{text}`", help=meant(text))
    return _load_known(found)


def argument(cipher: Cipher) -> str:
    """Return what names a cipher on a command line: the name of one of the project's, else its file."""
    file = Path(cipher.file)
    return file.stem if of_package(cipher) else shlex.quote(str(file))


def of_package(cipher: Cipher) -> bool:
    """Return whether a cipher is one of the project's, no file of the user's."""
    return Path(cipher.file).parent == _FOLDER


def meant(text: str, others: Iterable[str] = ()) -> str:
    """Say which cipher, or which of other things, a wrong name may stand for; sizes of keys are options."""
    plain, _, bits = text.replace("_", "-").rpartition("-")
    if bits.isdecimal() and find(plain) is not None:
        return f"the cipher is `{plain}`; a key size is an option of commands: --key-bits {bits}"
    aliases = (other for one in names() for other in aliases_of(one))
    close = closest(text, [*names(), *aliases, *others])
    return f"did you mean `{close}`? (`assay list` shows all)" if close else "`assay list` shows all"


def aliases_of(name: str) -> tuple[str, ...]:
    """Return the aliases that a cipher file of the project writes, without running it: some files take long."""
    text = (_FOLDER / f"{name}.py").read_text(encoding="utf-8")
    given = ast.walk(ast.parse(text)) if "aliases=" in text else ()
    return next(
        (ast.literal_eval(one.value) for one in given if isinstance(one, ast.keyword) and one.arg == "aliases"), ()
    )


def _letters(name: str) -> str:
    return re.sub(r"[\s_-]", "", name.lower())


@once
def _other_names() -> Mapping[str, str]:
    return {_letters(other): one for one in names() for other in aliases_of(one)}


@once
def _load_known(name: str) -> Cipher:
    return load_anew(_FOLDER / f"{name}.py")
