"""What is found out about a cipher's description, remembered by everything that it depends on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from cipherassay.jobs import code
from cipherassay.jobs.digests import digest, files_digest
from cipherassay.jobs.producer import engine_digests
from cipherassay.jobs.texts import TextCache

if TYPE_CHECKING:
    from cipherassay.lang.cipher import Cipher

PASSES = ("program", "circuit")
"""The crates of the engine that compile descriptions and run passes."""
_FACTS = TextCache("facts")


def cipher_digest(cipher: Cipher) -> str:
    """Return the digest of a cipher's description: its file, and the files beside it that it imports."""
    return _description_digest(Path(cipher.file).resolve())


def remembered(
    cipher: Cipher, made_of: Sequence[object], make: Callable[[], str], crates: tuple[str, ...] = PASSES
) -> str:
    """Return what `make` gives of a cipher, remembered by everything that it is made from.

    Parameters
    ----------
    made_of : sequence
        What besides the cipher decides on it. Their `repr` must tell them apart.
    crates : tuple
        The parts of the engine that make it.
    """
    name = digest({
        "cipher": cipher_digest(cipher), "slug": cipher.slug, "made_of": [repr(one) for one in made_of],
        "language": code.digest(("cipherassay.lang", "cipherassay.strategies")),
        "crates": engine_digests(crates),
    })  # fmt: skip
    return _FACTS.made(name, make)


_known: dict[Path, tuple[dict[Path, int], str]] = {}
"""Of each description the files that it has, when each was changed, and their digest."""


def _description_digest(path: Path) -> str:
    known = _known.get(path)
    if known is None or known[0] != _changes(known[0]):
        files = _closure(path)
        known = _known[path] = _changes(files), files_digest(files, path.parent)
    return known[1]


def _changes(files: Iterable[Path]) -> dict[Path, int]:
    return {path: path.stat().st_mtime_ns if path.is_file() else 0 for path in files}


def _closure(path: Path) -> set[Path]:
    """Return a description's file and those beside it that it imports, and they."""
    found = {path}
    todo = [path]
    while todo:
        for other in _beside(todo.pop()):
            if other not in found:
                found.add(other)
                todo.append(other)
    return found


def _beside(path: Path) -> Iterator[Path]:
    """Yield the modules in the same folder that a description imports, by whatever name of their package."""
    for name in code.source(path).imports:
        other = path.with_name(f"{name.split('.')[-1]}.py")
        if other.is_file():
            yield other
