"""The last words of key schedules, synthesized in both forms and kept in the package."""

from __future__ import annotations

from collections.abc import Iterator

from cipherassay.results.row import Row
from cipherassay.results.sources import ENGINE

READS = ("studies/weeks2000", "hardware", "kept/key_jumps", "lang", "ciphers", "published", ENGINE)


def runs() -> Iterator[tuple[str, list[Row]]]:
    """Yield the rows of each technology that results are kept for."""
    from cipherassay.studies.weeks2000 import key_jump_kept

    for technology in key_jump_kept.technologies():
        yield f"hardware/key-jumps/{technology}", list(key_jump_kept.rows(technology))
