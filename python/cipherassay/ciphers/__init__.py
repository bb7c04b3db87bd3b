"""The cipher files: one module per cipher, found by scanning this folder."""

from __future__ import annotations

import importlib.util
import sys
from functools import cache
from pathlib import Path

from cipherassay.errors import AssayError, DescriptionError, UsageError, nearest
from cipherassay.lang.cipher import Cipher
from cipherassay.lang.run import author_error

__all__ = ["Cipher", "load", "names"]

_FOLDER = Path(__file__).parent


def names() -> list[str]:
    """Return the names of all ciphers of the project, in alphabetical order."""
    return sorted(p.stem for p in _FOLDER.glob("*.py") if not p.stem.startswith("_"))


def load(name_or_path: str | Path) -> Cipher:
    """Return a cipher by its name, or from a file.

    Raises
    ------
    UsageError
        U014: no such cipher or file.
    DescriptionError
        D016: the file raises. D024: it defines no cipher, or several.
    """
    text = str(name_or_path)
    if text.endswith(".py") or "/" in text:
        path = Path(text)
        if not path.is_file():
            hint = "give the path of a Python file, or the name of a cipher"
            raise UsageError("U014", f"no cipher file `{text}`", help=hint)
        return _load_file(path)
    if text.lower() not in names():
        raise UsageError("U014", f"unknown cipher `{text}`", help=nearest(text, names()))
    return _load_known(text.lower())


@cache
def _load_known(name: str) -> Cipher:
    return _load_file(_FOLDER / f"{name}.py")


def _load_file(path: Path) -> Cipher:
    module_name = f"cipherassay_cipher_{path.stem}"
    spec = importlib.util.spec_from_file_location(module_name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[module_name] = module
    try:
        spec.loader.exec_module(module)
    except AssayError:
        raise
    except Exception as error:  # noqa: BLE001 - whatever a user's file raises is reported at its line
        raise author_error(error, path.name) from None
    found = [value for value in vars(module).values() if isinstance(value, Cipher)]
    if len(found) != 1:
        what = "no cipher" if not found else f"{len(found)} ciphers"
        hint = 'a cipher file makes one object: `rc6 = Cipher("RC6", …)`'
        raise DescriptionError("D024", f"{path} defines {what}", help=hint)
    found[0].file = str(path)
    return found[0]
