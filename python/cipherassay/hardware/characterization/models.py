"""Device models cut down to what a set of transistors needs: a simulator reads whole libraries slowly."""

from __future__ import annotations

import re
from collections.abc import Iterable

from cipherassay.errors import DescriptionError, Place
from cipherassay.hardware.characterization.netlists import Transistor

_MODEL = re.compile(r"^(?=\.model )", re.M)
_HEAD = re.compile(r"\.model (\S+)\.(\d+) ")
_LIMIT = re.compile(r"\b([lw]m(?:in|ax))\s*=\s*(\S+)")


def needed(text: str, transistors: Iterable[Transistor], file: str) -> str:
    """Return the bins of a model file (``.model NAME.NUMBER``) that hold the given sizes, without comments.

    Raises
    ------
    DescriptionError
        ``H754``: no bin holds a transistor.
    """
    bins = [(_HEAD.match(one), _limits(one), one) for one in _MODEL.split(text)]
    kept: set[int] = set()
    for model, width, length in sorted({(one.device.model, one.width, one.length) for one in transistors}):
        for number, (head, limits, _) in enumerate(bins):
            if head and head[1] == model and _holds(limits, width, length):
                kept.add(number)
                break
        else:
            size = f"{width * 1e6:g} by {length * 1e6:g} µm"
            raise DescriptionError("H754", f"no bin of `{model}` holds {size}", places=[Place(file)])
    lines = [line for number in sorted(kept) for line in bins[number][2].splitlines()]
    return "\n".join(line for line in lines if not line.startswith("*")) + "\n"


def _limits(text: str) -> dict[str, float]:
    return {name: float(value) for name, value in _LIMIT.findall(text)}


def _holds(limits: dict[str, float], width: float, length: float) -> bool:
    near = 1e-12
    return (
        limits["wmin"] - near <= width < limits["wmax"] - near
        and limits["lmin"] - near <= length < limits["lmax"] - near
    )
