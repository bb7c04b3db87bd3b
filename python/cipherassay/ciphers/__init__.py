"""The cipher files: one module per cipher, found by scanning this folder."""

from __future__ import annotations

import shlex
from functools import cache
from pathlib import Path

from cipherassay.errors import UsageError, nearest
from cipherassay.lang.cipher import Cipher
from cipherassay.lang.files import load_anew

__all__ = ["Cipher", "argument", "load", "names"]

_FOLDER = Path(__file__).parent


def names() -> list[str]:
    """Return the names of all ciphers of the project, in alphabetical order."""
    return sorted(p.stem for p in _FOLDER.glob("*.py") if not p.stem.startswith("_"))


def load(name_or_path: str | Path) -> Cipher:
    """Return a cipher by its name, or from a file.

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
    if text.lower() not in names():
        raise UsageError("U014", f"unknown cipher `{text}`", help=nearest(text, names()))
    return _load_known(text.lower())


def argument(cipher: Cipher) -> str:
    """Return what names a cipher on a command line: the name of one of the project's, else its file."""
    file = Path(cipher.file)
    return file.stem if file.parent == _FOLDER else shlex.quote(str(file))


@cache
def _load_known(name: str) -> Cipher:
    return load_anew(_FOLDER / f"{name}.py")
