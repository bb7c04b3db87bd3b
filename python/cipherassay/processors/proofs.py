"""What may be said of a kernel's cycles: they are proved only where they equal the bound beside them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cipherassay.processors.kernel import FILL_AND_DRAIN
from cipherassay.results.row import PROVED

if TYPE_CHECKING:
    from cipherassay.processors.kernel import Kernel

NONE = "none"
"""The kind of a certificate of what exceeds its bound."""


def kind(value: int, bound: int | None, bound_kind: str) -> str:
    """Return the kind of the bound that a value equals, else ``none``."""
    return bound_kind if value == bound else NONE


def certificate(kernel: Kernel, cycles: int) -> str:
    """Return in words what is known of a kernel's cycles: ``proved; cap: 538 operations …``.

    Loops have a bound for each region, none for the whole; out of order the text decides, not the schedule.
    """
    parts = kernel.parts
    if kernel.bound is not None:
        whys = [part.bound_why for part in parts]
        if kernel.processor.issues_out_of_order:
            whys.append(f"{FILL_AND_DRAIN} cycles before the first launch and after the last")
        return f"{_state(kernel, cycles)}; {parts[0].bound_kind}: {'; '.join(whys)}"
    if kernel.processor.issues_out_of_order:
        return "no bound: issued out of order"
    texts = [f"{p.iterations} × {p.value} (bound {p.bound}, {p.bound_kind})" for p in parts]
    return f"regions: {', '.join(texts)}"


def _state(kernel: Kernel, cycles: int) -> str:
    if cycles == kernel.bound:
        return PROVED
    if kernel.processor.issues_out_of_order:
        return "issued out of order"
    stops = dict.fromkeys(part.stop for part in kernel.parts if not part.proved)
    return ", ".join(stops) or f"{cycles - (kernel.bound or 0)} more than the shortest schedule"
