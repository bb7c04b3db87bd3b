"""The structure pictures of the hardware section: the way of a design, its blocks, each cipher's rounds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape

from cipherassay.report.elements.gallery import Gallery, Picture

if TYPE_CHECKING:
    from cipherassay.hardware.rtl.bodies import Body

FLOW = (
    ("cipher file", "Python, literal"),
    ("program", "typed operations, loops"),
    ("steps", "what a clock computes"),
    ("device", "machines, wires, pins"),
    ("Verilog, VHDL", "with test benches"),
    ("functions", "swept, five grades each"),
    ("whole device", "grades mixed, timed"),
)
"""The paper's Figure 1 as it is here: what is made of what."""
CHECKS = {
    1: "known answers",
    3: "verifier, own simulator",
    4: "Icarus, Verilator, GHDL",
    5: "equal to the RTL",
    6: "OpenSTA",
}
"""What is checked at which place, and by what."""
_WIDE, _HIGH, _GAP = 142.0, 64.0, 30.0
SHOWN = ("encrypt", "key_schedule")
LEAST_OPERATIONS = 4
"""Loops with fewer only copy or count."""
NAMES = {"encrypt": "encryption", "key_schedule": "key schedule"}


def flow() -> Gallery:
    """Return the way from a cipher's file to a synthesized device."""
    return Gallery(
        "hardware-flow", [_both("hardware-flow", "From the file to the device", "", _flow)], _style()
    )


def top_levels(cipher: str = "rijndael") -> Gallery:
    """Return the blocks of a cipher's two devices with what runs between them."""
    from cipherassay import ciphers
    from cipherassay.hardware.emission import top_level
    from cipherassay.hardware.rtl import build

    def picture(architecture: str) -> Picture:
        device = build.build(ciphers.load(cipher), architecture)
        name, title = f"hardware-top-{architecture}", f"{device.title}, {architecture}, 128-bit key"
        return _both(
            name, title, "bits beside the arrows", lambda alone: top_level.top_level(device, alone=alone)
        )

    return Gallery("hardware-top-level", [picture(a) for a in build.WITH_INTERFACE], _style())


@cache
def rounds(cipher: str) -> Gallery:
    """Return the rounds and key schedule of a cipher, each loop's first body."""
    from cipherassay import ciphers
    from cipherassay.hardware.rtl.bodies import bodies

    loaded = ciphers.load(cipher)
    found = [body for body in bodies(loaded.compile().mirror()) if body.function in SHOWN]
    found = [body for body in found if len(body.operations) >= LEAST_OPERATIONS]
    found.sort(key=lambda body: SHOWN.index(body.function))
    pictures = [_round(loaded.slug, number, body) for number, body in enumerate(found, 1)]
    return Gallery(f"hardware-rounds-{loaded.slug}", pictures, _style())


def _round(slug: str, number: int, body: Body) -> Picture:
    from cipherassay.hardware.emission.structures import data_flow

    title = f"{NAMES[body.function]}, loop {body.loop}"
    note = f"{body.iterations} iterations" + (f"; the first of {body.forms} forms" if body.forms > 1 else "")
    return _both(
        f"hardware-{slug}-{number}", title, note, lambda alone: data_flow(body, alone=alone, title=title)
    )


def _style() -> str:
    from cipherassay.hardware.emission.structures import STYLE

    return STYLE


def _both(name: str, title: str, note: str, draw: Callable[[bool], str]) -> Picture:
    return Picture(name, title, note, draw(False), draw(True))


def _flow(alone: bool) -> str:
    from cipherassay.hardware.emission.structures import svg

    drawn: list[str] = []
    for n, (title, note) in enumerate(FLOW):
        row, column = divmod(n, 4)
        column = column if row == 0 else 3 - column  # the second row runs back
        x, y = 10 + column * (_WIDE + _GAP), 12 + row * (_HIGH + 34)
        drawn += _box(x, y, title, note, CHECKS.get(n, ""))
        if n + 1 < len(FLOW):
            drawn.append(_step(n, x, y))
    return svg(drawn, 4 * (_WIDE + _GAP), 2 * _HIGH + 58, alone=alone, title="From the file to the device")


def _box(x: float, y: float, title: str, note: str, check: str) -> list[str]:
    middle = x + _WIDE / 2
    parts: Sequence[str] = [
        f'<rect class="big" x="{x:.0f}" y="{y:.0f}" width="{_WIDE:.0f}" height="{_HIGH:.0f}" rx="7"/>',
        f'<text class="e" x="{middle:.0f}" y="{y + 17:.0f}">{escape(title)}</text>',
        f'<text class="q" x="{middle:.0f}" y="{y + 34:.0f}">{escape(note)}</text>',
    ]
    checked = [f'<text class="q" x="{middle:.0f}" y="{y + 51:.0f}">✓ {escape(check)}</text>']
    return [*parts, *(checked if check else [])]


def _step(n: int, x: float, y: float) -> str:
    """Draw the arrow to the next box: to the right, down at the end of the first row, then to the left."""
    from cipherassay.hardware.emission.structures import arrow

    middle = y + _HIGH / 2
    if n < 3:
        return arrow(x + _WIDE, middle, x + _WIDE + _GAP - 1, middle)
    if n == 3:
        return arrow(x + _WIDE / 2, y + _HIGH, x + _WIDE / 2, y + _HIGH + 33)
    return arrow(x, middle, x - _GAP + 1, middle)
