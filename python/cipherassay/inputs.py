"""What results depend on besides code: descriptions, programs, known answers, published numbers, as digests.

To make a program takes up to a second, so its digest is remembered by everything that makes it: the cipher's
file with what it imports, the strategy, the known circuits, the language, the crates of passes.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from cipherassay.jobs import code
from cipherassay.jobs.descriptions import PASSES, cipher_digest, remembered
from cipherassay.jobs.digests import digest, files_digest, text_digest
from cipherassay.jobs.producer import engine_digests
from cipherassay.once import once

if TYPE_CHECKING:
    from cipherassay._engine import Program
    from cipherassay.lang.cipher import Cipher


def description_digest(cipher: Cipher) -> str:
    """Return the digest of what a cipher's programs depend on before passes: its files, the language."""
    return digest({
        "cipher": cipher_digest(cipher), "language": code.digest(("cipherassay.lang",)),
        "crates": engine_digests(PASSES),
    })  # fmt: skip


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
    return remembered(cipher, made_of, lambda: text_digest(make().text()))


def applicable_strategies(cipher: Cipher) -> list[str]:
    """Return `cipherassay.strategies.applicable` of a cipher: to find them, each is tried."""
    from cipherassay import strategies

    every = strategies.strategies_digest(strategies.names())
    found = remembered(cipher, ("applicable", every), lambda: json.dumps(strategies.applicable(cipher)))
    names: list[str] = json.loads(found)
    return names


def emitted_c_digest(cipher: Cipher, key_bits: Sequence[int], strategy: str, variant: str) -> str:
    """Return the digest of the C of a cipher for some key sizes."""
    from cipherassay.strategies import emit_c, strategy_digest

    made_of = ("c", tuple(key_bits), variant, strategy_digest(strategy))
    return remembered(
        cipher, made_of, lambda: text_digest(repr(emit_c(cipher, key_bits, strategy, variant))), ("source",)
    )


def known_answers_digest(cipher: Cipher, variant: str = "") -> str:
    """Return the digest of the known answers of a cipher: those of the package, and those beside its file."""
    from cipherassay.vectors.kept import FOLDER, folder_name

    return _known_answers(FOLDER, folder_name(cipher, variant), Path(cipher.file))


@once
def _known_answers(folder: Path, name: str, file: Path) -> str:
    from cipherassay.vectors.kept import ANSWERS, beside

    kept = [path for path in (folder / name).glob("*") if path.is_file()]
    given = beside(file, ANSWERS)
    own = files_digest(given, file.parent) if given else ""
    return text_digest(files_digest(kept, folder) + own)


def published_digest(cipher: Cipher) -> str:
    """Return the digest of what papers print of a cipher."""
    return _published(cipher.name)


@once
def _published(name: str) -> str:
    from cipherassay import published

    return text_digest("\n".join(repr(row) for row in published.rows() if row.cipher == name))
