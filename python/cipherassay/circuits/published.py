"""The best published counts of S-box circuits, from the papers' data (`cipherassay.published`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from cipherassay.circuits.boxes import Box
from cipherassay.circuits.metrics import key
from cipherassay.circuits.targets import Target

PAPER = "sbox-circuits"


@dataclass(frozen=True)
class PublishedCounts:
    """The counts of one published circuit and where it stands."""

    counts: Mapping[str, float]
    source: str


def find(box: Box, target: Target, objective: Sequence[str]) -> PublishedCounts | None:
    """Return the published circuit that is best by an objective, or None where none is known."""
    known = [
        one for one in _all().get((box.family, box.variant, target.name), ()) if objective[0] in one.counts
    ]
    return min(known, key=lambda one: key(one.counts, objective), default=None)


def line(box: Box, target: Target, objective: Sequence[str]) -> str:
    """Return the line of a circuit's head: ``gates=16 (Gladman and Simpson, 2000)``; empty if none."""
    found = find(box, target, objective)
    if found is None:
        return ""
    counts = " ".join(f"{m}={found.counts[m]:g}" for m in objective if m in found.counts)
    return f"{counts} ({found.source})"


@cache
def _all() -> dict[tuple[str, str, str], list[PublishedCounts]]:
    """Gather the rows of one circuit (same box, target, configuration) from the tables of its metrics."""
    from cipherassay import published

    counts: dict[tuple[str, str, str, str], dict[str, float]] = {}
    sources: dict[tuple[str, str, str, str], str] = {}
    for row in published.paper(PAPER).rows:
        which = (row.cipher.lower(), row.variant, row.target, row.configuration)
        counts.setdefault(which, {})[row.metric] = row.value
        sources[which] = row.where
    found: dict[tuple[str, str, str], list[PublishedCounts]] = {}
    for which, values in counts.items():
        found.setdefault(which[:3], []).append(PublishedCounts(values, sources[which]))
    return found
