"""A picture of a device's pins over time, drawn from a simulation: a key loaded, blocks loaded, results."""

from __future__ import annotations

import io
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from cipherassay.hardware.rtl.build import Device
from cipherassay.hardware.simulation import own
from cipherassay.hardware.simulation.vectors import vectors

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ORDER = (
    "load_key", "key_size", "key", "ready", "load_data", "decrypt", "inverse", "data_in", "tweak", "valid",
    "data_out", "take",
)  # fmt: skip
MATTERS = {
    "key": "load_key", "key_size": "load_key", "data_in": "load_data", "decrypt": "load_data",
    "tweak": "load_data",
    "inverse": "load_data", "data_out": "valid",
}  # fmt: skip
"""Pins that mean something only in clocks in which another is 1."""
BLOCKS = 3
"""Blocks that are drawn."""
_AROUND = 1
"""Clocks that are drawn before and after one in which something changes."""
_DIGITS = 9
_INK, _GREY, _QUIET, _BUS = "#1a1a1a", "#666666", "#b8b8b8", "#dce8f4"


@dataclass(frozen=True)
class Column:
    """A clock that is drawn; or several without a change that are left out, where ``omitted`` counts them."""

    clock: int
    omitted: int = 0


def record(device: Device) -> list[own.Pins]:
    """Simulate a key and three blocks; return all pins in every clock until the results are taken."""
    bits, decrypt = min(device.programs), device.directions[0]
    mixed = [v for v in vectors(device, every=512) if v.test == "mixed" and 8 * len(v.key) == bits]
    key = mixed[0].key
    same = [v for v in mixed if v.key == key and v.decrypt == decrypt][:BLOCKS]
    first = [n == 0 for n in range(len(same))]
    traffic = [
        replace(vector, new_key=one and device.keyed, alone=one, slow=False)
        for vector, one in zip(same, first, strict=True)
    ]
    pins: list[own.Pins] = []
    own.simulate(device, traffic, pins.append)
    return pins


def _shown(pins: own.Pins) -> dict[str, list[int] | None]:
    """Return what the pins mean: None where it does not matter."""

    strobes = {name: _strobe(pins, name) for name in pins}
    return {
        name: words if not strobes[name] or pins[strobes[name]][0] else None for name, words in pins.items()
    }


def _strobe(pins: own.Pins, name: str) -> str:
    """Return the pin that says when another means something; empty: always."""
    strobe = MATTERS.get(name, "")
    return "load_data" if strobe == "load_key" and strobe not in pins else strobe


def columns(pins: list[own.Pins]) -> list[Column]:
    """Choose the clocks that are drawn: those around changes."""
    shown = [_shown(p) for p in pins]
    changes = {0, len(pins) - 1} | {n for n in range(1, len(pins)) if shown[n] != shown[n - 1]}
    wanted = sorted({m for n in changes for m in range(n - _AROUND, n + _AROUND + 1) if 0 <= m < len(pins)})
    found: list[Column] = []
    for n in wanted:
        gap = n - found[-1].clock - 1 if found else 0
        if gap == 1:
            found.append(Column(n - 1))
        elif gap > 1:
            found.append(Column(found[-1].clock, gap))
        found.append(Column(n))
    return found


def draw(device: Device) -> bytes:
    """Return the picture as SVG; the same device gives the same bytes."""
    import matplotlib
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    pins = record(device)
    cells = columns(pins)
    names = [name for name in ORDER if name in device.words]
    with matplotlib.rc_context({"svg.hashsalt": "assay", "svg.fonttype": "none", "font.size": 8}):
        figure = Figure(figsize=(1.6 + 0.42 * len(cells), 0.36 * (len(names) + 1.6)))
        FigureCanvasSVG(figure)
        axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
        axes.set_xlim(-3.0, len(cells) + 0.3)
        axes.set_ylim(-(len(names) + 0.3), 1.3)
        axes.axis("off")
        _clock(axes, cells)
        for row, name in enumerate(names, start=1):
            axes.text(-0.3, 0.35 - row, name, ha="right", va="center", family="monospace")
            bus = len(device.words[name]) > 1 or device.words[name][0] > 1
            _signal(axes, pins, cells, name, bus, -row)
        stream = io.BytesIO()
        figure.savefig(stream, format="svg", metadata={"Date": None, "Creator": None}, facecolor="white")
    return stream.getvalue()


def _clock(axes: Axes, cells: list[Column]) -> None:
    axes.text(-0.3, 0.35, "clock", ha="right", va="center", family="monospace")
    for x, cell in enumerate(cells):
        if cell.omitted:
            axes.text(x + 0.5, 0.35, "…", ha="center", va="center", color=_INK)
            axes.text(x + 0.5, 0.95, f"+{cell.omitted}", ha="center", va="center", color=_GREY, fontsize=7)
            continue
        # A clock ends with the rising edge that takes its inputs.
        axes.plot([x, x, x + 0.5, x + 0.5, x + 1, x + 1], [0, 0.7, 0.7, 0, 0, 0.7], color=_INK, lw=0.9)
        axes.text(x + 0.5, 0.95, str(cell.clock), ha="center", va="center", color=_GREY, fontsize=7)
        axes.plot([x, x], [-20, 0], color="#eeeeee", lw=0.6, zorder=0)


def _signal(axes: Axes, pins: list[own.Pins], cells: list[Column], name: str, bus: bool, y: float) -> None:
    shown = [_shown(pins[cell.clock])[name] for cell in cells]
    before: float | None = None
    x = 0
    while x < len(cells):
        value = shown[x]
        end = x + 1
        while end < len(cells) and shown[end] == value and not _new(pins, cells, end, name):
            end += 1
        if value is None:
            low, high = y + 0.05, y + 0.65
            axes.fill_between([x, end], low, high, facecolor="none", edgecolor=_QUIET, hatch="////", lw=0)
            before = None
        elif bus:
            _bus(axes, _text_place(cells, x, end), x, end, y, value)
            before = None
        else:
            level = y + 0.7 * value[0]
            axes.plot([x, end], [level, level], color=_INK, lw=1.1)
            if before is not None and before != level:
                axes.plot([x, x], [before, level], color=_INK, lw=1.1)
            before = level
        x = end
    for at, cell in enumerate(cells):
        if cell.omitted:
            axes.fill_between([at + 0.35, at + 0.65], y - 0.08, y + 0.78, facecolor="white", lw=0, zorder=3)


def _new(pins: list[own.Pins], cells: list[Column], at: int, name: str) -> bool:
    """Whether a bus carries another word although its value is the same: a new load."""
    strobe = _strobe(pins[0], name)
    return (
        strobe in ("load_key", "load_data")
        and bool(pins[cells[at].clock][strobe][0])
        and bool(pins[cells[at - 1].clock]["ready"][0])
    )


def _text_place(cells: list[Column], x: int, end: int) -> tuple[int, int]:
    """Return the widest stretch without an omission, the later of equal ones: a bus's text stands there."""
    breaks = [x - 1, *(n for n in range(x, end) if cells[n].omitted), end]
    stretches = [(a + 1, b) for a, b in zip(breaks, breaks[1:], strict=False)]
    return max(stretches, key=lambda s: (s[1] - s[0], s[0]))


def _bus(axes: Axes, place: tuple[int, int], x: int, end: int, y: float, words: list[int]) -> None:
    slant = 0.08
    outline_x = [x, x + slant, end - slant, end, end - slant, x + slant]
    outline_y = [y + 0.35, y + 0.7, y + 0.7, y + 0.35, y, y]
    axes.fill(outline_x, outline_y, facecolor=_BUS, edgecolor=_INK, lw=0.8)
    digits = "".join(f"{word:02x}" for word in words) if len(words) > 1 else str(words[0])
    room = min(_DIGITS, max(2, int((place[1] - place[0]) * 5.2) - 1))
    text = digits if len(digits) <= room else digits[: room - 1] + "…"
    middle = sum(place) / 2
    axes.text(middle, y + 0.34, text, ha="center", va="center", family="monospace", fontsize=6.0, zorder=4)
