"""Which strategy a target prefers for a cipher where none is asked for: measured choices that are kept.

A file per cipher, by its slug, has the fastest strategy of each target; where machines differ, the one
that is fastest on most. Ciphers without a file take the target's default.

A choice that `keep` wrote is of a program: it names the program's digest, and counts for no other. That of a
cipher outside the package has the digest in the file's name, too, so that it stands beside the package's.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from cipherassay import keeping

if TYPE_CHECKING:
    from cipherassay.lang.cipher import Cipher

KIND = "preferences"
"""The kind of kept artefacts."""
NATIVE, JAVA, INTERPRETED = "native", "java-jit", "java-interpreted"
DIRECT = "direct"
"""The strategy that applies to every cipher: it stays as described."""
DEFAULTS = {NATIVE: "unrolled", JAVA: DIRECT, INTERPRETED: ""}
"""By target the strategy of ciphers that no file names one for; empty: that of Java compiled just in time."""
_SOURCE_POSITIONS = re.compile(r' +@[\d:<]+$|^ *file \d+ ".*"\n', re.MULTILINE)
"""Where a program's text names files, lines and columns of the description."""


def preferred(cipher: Cipher, target: str = NATIVE) -> str:
    """Return the name of the strategy that a target prefers for a cipher.

    A default that does not apply, as the unrolling of a cipher of too many operations, gives way to the
    description as it is.

    Parameters
    ----------
    target : str
        ``native`` (C), ``java-jit`` or ``java-interpreted``.

    Raises
    ------
    DescriptionError
        ``A001``: the file with the choices is damaged. What the language refuses, where the cipher is
        compiled to see whether the default applies.
    """
    kept = choices(cipher)
    chosen = _choice(kept, target)
    return chosen if chosen in kept.values() or _applies(chosen, cipher) else DIRECT


def _applies(strategy: str, cipher: Cipher) -> bool:
    """Return whether a strategy applies to a cipher with all its key sizes."""
    from cipherassay.jobs.descriptions import remembered
    from cipherassay.strategies import load, serves, strategy_digest

    made_of = ("serves", strategy_digest(strategy), cipher.key_bits)
    found = remembered(cipher, made_of, lambda: str(serves(load(strategy), cipher, cipher.key_bits)))
    return found == str(True)


def preference(cipher: Cipher, target: str = NATIVE) -> str:
    """Return the kept choice of a target, else its default, whether or not it applies to the cipher; raises
    as `preferred`, but compiles nothing."""
    return _choice(named(cipher.slug), target)


def _choice(kept: Mapping[str, str], target: str) -> str:
    return kept.get(target) or DEFAULTS[target] or _choice(kept, JAVA)


def choices(cipher: Cipher) -> dict[str, str]:
    """Return the kept choices for a cipher's program by target; raises as `preferred`."""
    for name in _file_names(cipher):
        for path in keeping.candidates(KIND, name):
            document = _read(path)
            if document is None:
                continue
            programs = document.get("programs", {})
            own = program_digest(cipher) if programs else ""
            return {t: one for t, one in document["strategies"].items() if programs.get(t, own) == own}
    return {}


def named(slug: str) -> dict[str, str]:
    """Return the kept choices for a cipher's slug by target, of whatever program; raises as `preferred`."""
    found = (_read(path) for path in keeping.candidates(KIND, f"{slug}.json"))
    return next((document["strategies"] for document in found if document is not None), {})


def keep(cipher: Cipher, target: str, strategy: str) -> Path:
    """Keep a target's strategy for a cipher's program; return the file. Choices of other targets stay.

    Raises
    ------
    UsageError
        ``A002``: it cannot be written.
    DescriptionError
        ``A001``: the file is there and damaged.
    """

    def change(path: Path | None) -> str:
        document = (_read(path) if path else None) or {}
        strategies = {**document.get("strategies", {}), target: strategy}
        programs = {**document.get("programs", {}), target: program_digest(cipher)}
        changed = {"schema": keeping.SCHEMAS[KIND], "strategies": strategies, "programs": programs}
        return json.dumps(changed, indent=1) + "\n"

    return keeping.update(KIND, _file_names(cipher)[0], change)


def program_digest(cipher: Cipher) -> str:
    """Return the digest of the programs that a cipher's description compiles into, of all key sizes, without
    their positions in it: a line that moves makes no other program."""
    from cipherassay.jobs.descriptions import remembered

    def made() -> str:
        found = hashlib.sha256()
        for bits in cipher.key_bits:
            found.update(_SOURCE_POSITIONS.sub("", cipher.compile(bits).text()).encode())
        return found.hexdigest()[:16]

    return remembered(cipher, ("programs without positions", cipher.key_bits), made)


def _file_names(cipher: Cipher) -> list[str]:
    """Return where choices for a cipher may be kept: its own file first."""
    from cipherassay import ciphers

    plain = f"{cipher.slug}.json"
    if ciphers.of_package(cipher):
        return [plain]
    return [f"{cipher.slug}-{program_digest(cipher)[:8]}.json", plain]


def _read(path: Path) -> keeping.Document | None:
    """Return a file's document, None if it follows another version of the schema; raises ``A001``."""
    document = keeping.read(KIND, path, ["strategies"])
    if document is None:
        return None
    for field in ("strategies", "programs"):
        found = document.get(field, {})
        if not isinstance(found, dict) or not all(isinstance(name, str) for name in found.values()):
            raise keeping.damaged(KIND, path, f"`{field}` is no table of names")
    return document
