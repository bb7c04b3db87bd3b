"""What results depend on besides code: descriptions, programs, known answers, published numbers, as digests.

To make a program takes up to a second, so its digest is remembered by everything that makes it: the cipher's
file with what it imports, the strategy, the known circuits, the language, the crates of passes.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from cipherassay.jobs import code
from cipherassay.jobs.digests import digest, files_digest, text_digest
from cipherassay.jobs.producer import engine_digests
from cipherassay.jobs.texts import TextCache

if TYPE_CHECKING:
    from cipherassay._engine import Program
    from cipherassay.lang.cipher import Cipher

_PASSES = ("program", "circuit")
_FACTS = TextCache("facts")


def cipher_digest(cipher: Cipher) -> str:
    """Return the digest of a cipher's description: its file, and the files beside it that it imports."""
    return _description_digest(Path(cipher.file).resolve())


def description_digest(cipher: Cipher) -> str:
    """Return the digest of what a cipher's programs depend on before passes: its files, the language."""
    return digest({
        "cipher": cipher_digest(cipher), "language": code.digest(("cipherassay.lang",)),
        "crates": engine_digests(_PASSES),
    })  # fmt: skip


@cache
def _description_digest(path: Path) -> str:
    found = {path}
    todo = [path]
    while todo:
        for other in _beside(todo.pop()):
            if other not in found:
                found.add(other)
                todo.append(other)
    return files_digest(found, path.parent)


def _beside(path: Path) -> Iterator[Path]:
    """Yield the modules in the same folder that a description imports, by whatever name of their package."""
    for name in code.source(path).imports:
        other = path.with_name(f"{name.split('.')[-1]}.py")
        if other.is_file():
            yield other


def strategy_digest(name: str) -> str:
    """Return the digest of a strategy: its fields, and the circuits that its passes may take."""
    from cipherassay import strategies

    chosen = strategies.load(name)
    takes = any(text.split(":")[0] == "circuits" for text in chosen.passes)
    return digest({"strategy": repr(chosen), "circuits": strategies.circuits_digest() if takes else ""})


def program_digest(cipher: Cipher, made_of: Sequence[object], make: Callable[[], Program]) -> str:
    """Return the digest of a program's text.

    Parameters
    ----------
    made_of : sequence
        What besides the cipher decides on the program: key size, variant, passes, strategies. Their
        `repr` must tell them apart.
    make : callable
        Makes the program, where its digest is not remembered.
    """
    return _remembered(cipher, made_of, _PASSES, lambda: text_digest(make().text()))


def applicable_strategies(cipher: Cipher) -> list[str]:
    """Return `cipherassay.strategies.applicable` of a cipher: to find them, each is tried."""
    from cipherassay import strategies

    every = digest({name: strategy_digest(name) for name in strategies.names()})
    found = _remembered(
        cipher, ("applicable", every), _PASSES, lambda: json.dumps(strategies.applicable(cipher))
    )
    names: list[str] = json.loads(found)
    return names


def emitted_c_digest(cipher: Cipher, key_bits: Sequence[int], strategy: str, variant: str) -> str:
    """Return the digest of the C of a cipher for some key sizes."""
    from cipherassay.strategies import emit_c

    made_of = ("c", tuple(key_bits), variant, strategy_digest(strategy))
    return _remembered(
        cipher, made_of, ("source",), lambda: text_digest(repr(emit_c(cipher, key_bits, strategy, variant)))
    )


def _remembered(
    cipher: Cipher, made_of: Sequence[object], crates: tuple[str, ...], make: Callable[[], str]
) -> str:
    """Return what `make` gives of a cipher, remembered by everything that it is made from."""
    name = digest({
        "cipher": cipher_digest(cipher), "made_of": [repr(one) for one in made_of],
        "language": code.digest(("cipherassay.lang", "cipherassay.strategies")),
        "crates": engine_digests(crates),
    })  # fmt: skip
    return _FACTS.made(name, make)


def known_answers_digest(cipher: Cipher, variant: str = "") -> str:
    """Return the digest of the known answers of a cipher: those of the package, and those beside its file."""
    from cipherassay.vectors.kept import FOLDER, folder_name

    return _known_answers(FOLDER, folder_name(cipher, variant), Path(cipher.file))


@cache
def _known_answers(folder: Path, name: str, file: Path) -> str:
    from cipherassay.vectors.kept import ANSWERS, beside

    kept = [path for path in (folder / name).glob("*") if path.is_file()]
    given = beside(file, ANSWERS)
    own = files_digest(given, file.parent) if given else ""
    return text_digest(files_digest(kept, folder) + own)


def published_digest(cipher: Cipher) -> str:
    """Return the digest of what papers print of a cipher."""
    return _published(cipher.name)


@cache
def _published(name: str) -> str:
    from cipherassay import published

    return text_digest("\n".join(repr(row) for row in published.rows() if row.cipher == name))
