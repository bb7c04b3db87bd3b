"""Which strategy a target prefers for a cipher where none is asked for: measured choices that are kept.

A file per cipher, by its slug, has the fastest strategy of each target; where machines differ, the one
that is fastest on most. Ciphers without a file take the target's default.
"""

from __future__ import annotations

from collections.abc import Mapping
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
    from cipherassay.strategies import load, serves

    kept = choices(cipher.slug)
    chosen = _choice(kept, target)
    applies = chosen in kept.values() or serves(load(chosen), cipher, cipher.key_bits)
    return chosen if applies else DIRECT


def preference(cipher: Cipher, target: str = NATIVE) -> str:
    """Return the kept choice of a target, else its default, whether or not it applies to the cipher; raises
    as `preferred`, but compiles nothing."""
    return _choice(choices(cipher.slug), target)


def _choice(kept: Mapping[str, str], target: str) -> str:
    return kept.get(target) or DEFAULTS[target] or _choice(kept, JAVA)


def choices(slug: str) -> dict[str, str]:
    """Return the kept choices for a cipher by target; raises as `preferred`."""
    for path in keeping.candidates(KIND, f"{slug}.json"):
        document = keeping.read(KIND, path)
        if document is None:
            continue
        found = document.get("strategies")
        if not isinstance(found, dict) or not all(isinstance(name, str) for name in found.values()):
            raise keeping.damaged(KIND, path, "`strategies` is no table of names")
        return found
    return {}
