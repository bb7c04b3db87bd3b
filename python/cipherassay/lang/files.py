"""A cipher from its file: the file is run, and defines one."""

from __future__ import annotations

import copyreg
import hashlib
import linecache
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from pathlib import Path
from types import ModuleType

from cipherassay.errors import DescriptionError, Place, UsageError
from cipherassay.lang.cipher import Cipher, collecting
from cipherassay.lang.evaluation import Function
from cipherassay.lang.permutation import Permutation
from cipherassay.lang.run import run_author_text

_FOLDER = Path(__file__).parents[1] / "ciphers"
"""The project's ciphers; their names need no folder beside them."""


def load_anew(path: Path) -> Cipher:
    """Run a file and return the cipher that it defines; raises as `cipherassay.ciphers.load`."""
    source = read_source(path)
    linecache.checkcache(str(path))
    module = ModuleType(module_name(path))
    module.__file__ = str(path)
    sys.modules[module.__name__] = module

    def text() -> None:
        exec(compile(source, str(path), "exec", dont_inherit=True), module.__dict__)

    with collecting() as made:
        try:
            run_author_text(text, path.name, str(path))
        except BaseException:
            sys.modules.pop(module.__name__, None)
            raise
    cipher = _only(made, vars(module).values(), path)
    cipher.file = str(path)
    return cipher


def module_name(path: Path) -> str:
    """Return the name of a cipher file's module; files of one name in two folders have two."""
    folder, name = path.resolve().parent, f"cipherassay_cipher_{path.stem}"
    if folder == _FOLDER.resolve():
        return name
    return f"{name}_{hashlib.sha256(os.fsencode(folder)).hexdigest()[:12]}"


def read_source(path: Path) -> bytes:
    """Return a cipher file's text; raises UsageError ``U018``, ``U023`` to ``U027`` for what is none."""
    hint = "give the path of a Python file, or the name of a cipher"
    try:
        if not path.exists():
            raise UsageError("U023", f"no cipher file `{path}`", help=hint)
        if not path.is_file():
            what = "a folder" if path.is_dir() else "no regular file"
            raise UsageError("U018", f"`{path}` is {what}", help=hint)
        if path.suffix != ".py":
            raise UsageError("U024", f"`{path}` is no Python file: its name does not end in `.py`", help=hint)
        source = path.read_bytes()
        source.decode()
        if b"\0" in source:
            raise UsageError("U025", f"`{path}` is no text: it has a zero byte", help=hint)
        return source
    except UnicodeDecodeError as error:
        where = Place(str(path), source.count(b"\n", 0, error.start) + 1)
        what = f"byte {source[error.start]:#04x}"
        raise UsageError("U026", f"`{path}` is no UTF-8 text: {what}", places=[where], help=hint) from None
    except (OSError, ValueError, RuntimeError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        text = f"the cipher file `{_short(path)}` cannot be read: {reason}"
        raise UsageError("U027", text, help=hint) from None


def _short(path: Path) -> str:
    text = str(path)
    return text if len(text) <= 100 else f"{text[:60]}…{text[-30:]}"


def _only(made: Sequence[Cipher], held: Iterable[object], path: Path) -> Cipher:
    """Return the one cipher among those that a file has made itself and those that its variables hold."""
    own = [one for one in made if one.file in ("", str(path))]
    found = list({id(one): one for one in [*own, *held] if isinstance(one, Cipher)}.values())
    if len(found) != 1:
        what = f"{len(found)} ciphers: {', '.join(one.name for one in found)}" if found else "no cipher"
        hint = 'a cipher file makes one object: `name = Cipher("NAME", …)`'
        raise DescriptionError("D024", f"{path} defines {what}", help=hint)
    return found[0]


@cache
def _again(file: str) -> Cipher:
    return load_anew(Path(file))


def _reduced(cipher: Cipher) -> tuple[Callable[[str], Cipher], tuple[str]]:
    """Return what makes a cipher again in another process: its file."""
    return _again, (cipher.file,)


for _kind in (Cipher, Function, Permutation):
    copyreg.pickle(_kind, _reduced)
