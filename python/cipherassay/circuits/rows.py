"""Circuits as rows of results: a row per metric of the objective, with its bound and the published count."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import replace
from functools import cache

from cipherassay.circuits import boxes, published, targets
from cipherassay.circuits.boxes import Box
from cipherassay.circuits.documents import Document
from cipherassay.circuits.targets import Target
from cipherassay.results import Row

HEADLINE = ("gates", "ops", "instructions", "cycles", "depth", "width", "temps", "and_count", "area_um2")


def rows(document: Document, box: Box, target: Target, metrics: Sequence[str] = ()) -> list[Row]:
    """Return a row per metric (default: those of the objective that the circuit has).

    An area is followed by the same in gate equivalents, `area_ge`. `configuration` is the objective; `bound`
    and `certificate` are what is proved, `reference` the published count of the circuit that is best by the
    same objective.
    """
    known = published.find(box, target, document.objective) if document.objective else None
    found = [
        Row(
            cipher=cipher_name(box.family),
            variant=box.variant,
            level="circuit",
            target=target.name,
            configuration=" ".join(document.objective),
            metric=metric,
            value=document.metrics[metric],
            basis="synthesized",
            bound=_bound(document, metric),
            certificate=_certificate(document, metric),
            reference=known.counts.get(metric) if known else None,
            reference_source=known.source if known and metric in known.counts else None,
            tools=document.head.get("effort"),
            command=f"assay circuit search {box.name} --target {target.name}"
            f" --objective {','.join(document.objective)}",
        )
        for metric in metrics or document.objective
        if metric in document.metrics
    ]
    return [each for row in found for each in (row, *_equivalents(row, target))]


def _equivalents(row: Row, target: Target) -> list[Row]:
    """Return an area in two-input NAND gates of the technology; nothing for other metrics."""
    unit = target.gate_equivalent
    if row.metric != "area_um2" or row.value is None or unit is None:
        return []
    bound = None if row.bound is None else row.bound / unit
    reference = None if row.reference is None else row.reference / unit
    return [replace(row, metric="area_ge", value=row.value / unit, bound=bound, reference=reference)]


def stored_rows(document: Document) -> list[Row]:
    """Return the rows of a circuit of the library."""
    return rows(document, boxes.find(document.name), targets.find(document.head["target"]))


def _bound(document: Document, metric: str) -> float | None:
    if document.proof.proves(metric):
        return document.metrics[metric]
    return document.proof.bound(metric)


def _certificate(document: Document, metric: str) -> str | None:
    proof, bound = document.proof, _bound(document, metric)
    if bound is None:
        return None
    return proof.reason(metric) or (proof.state if proof.proves(metric) else f"at least {bound:g}")


@cache
def cipher_name(family: str) -> str | None:
    """Return a cipher's name as rows have it, of a file of boxes its title; None for a user's own box."""
    from cipherassay import ciphers

    path = boxes.FOLDER / f"{family}.toml"
    if path.exists():
        return str(tomllib.loads(path.read_text(encoding="utf-8"))["title"])
    return ciphers.load(family).name if family in ciphers.names() else None
