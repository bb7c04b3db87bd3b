"""Galleries of circuits: each circuit of a target as a levelled graph."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from cipherassay.report.elements.gallery import Gallery, Picture

if TYPE_CHECKING:
    from cipherassay.circuits.library import StoredCircuit


def gallery(name: str, stored: Sequence[StoredCircuit]) -> Gallery:
    """Return the pictures of stored circuits in their order."""
    from cipherassay.circuits.picture import STYLE

    return Gallery(name, [_picture(item) for item in stored], STYLE)


def _picture(item: StoredCircuit) -> Picture:
    from cipherassay.circuits import boxes, engine, targets
    from cipherassay.circuits.picture import cell_names, picture

    target = targets.find(item.target)
    box = boxes.find(item.box)
    (document,) = engine.read(item.text, target, box=box, file=str(item.path))
    names = cell_names(document["circuit"], target)
    title = f"{item.box} for {item.target}"
    counts = ", ".join(
        f"{metric} {item.document.metrics[metric]:g}"
        for metric in item.document.objective[:2]
        if metric in item.document.metrics
    )
    circuit = document["circuit"]
    return Picture(
        f"circuit-{box.family}-{box.variant}-{target.file_name}-{item.metric}",
        box.variant,
        counts,
        picture(circuit, names=names, alone=False, title=title),
        picture(circuit, names=names, alone=True, title=title),
    )
