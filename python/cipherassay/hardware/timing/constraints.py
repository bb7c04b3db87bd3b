"""Constraints of a design as a Synopsys Design Constraints file: clock, pins, clock gates, latches."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cipherassay.hardware.rtl.build import Device

PERIOD_NS = 20.0
"""The clock's period in constraints of a device that is not mapped yet: to be set."""
_WORDS = """
# Words of latches. A write is registered: data by the rising edge, address and enable by the falling edge
# before it. The word is open while the clock is high, and nothing reads it in that clock: what reads it has
# until the end of the clock after.
set words [all_registers -level_sensitive -output_pins]
set_multicycle_path 2 -setup -through $words
set_multicycle_path 1 -hold -through $words
"""


def of_device(device: Device) -> str:
    """Return the constraints of a device as it is emitted, whose ports are buses."""
    ports = [("reset", "input", 1), *device.pins]
    patterns = [(direction, name if width == 1 else f"{name}[*]") for name, direction, width in ports]
    inputs, outputs = (
        [name for direction, name in patterns if direction == wanted] for wanted in ("input", "output")
    )
    return sdc(
        device.name, "clock", inputs, outputs, period_ns=PERIOD_NS, latches=device.has_latches
    )  # fmt: skip


def sdc(
    name: str, clock: str, inputs: Sequence[str], outputs: Sequence[str], *, period_ns: float, latches: bool
) -> str:
    """Return the constraints of a design of one clock.

    Parameters
    ----------
    inputs, outputs : sequence of str
        Patterns of ports, as of ``get_ports``, without the clock. They change with the clock's rising edge.
    period_ns : float, > 0
        The clock's period.
    latches : bool
        Whether it has words of latches, with the rule about when they are read.
    """
    lines = [
        f"# {name}: constraints, times in ns. Pins change with the clock's rising edge, which takes them.",
        f"create_clock -name clock -period {period_ns:g}" + (f" [get_ports {{{clock}}}]" if clock else ""),
        "set_propagated_clock [get_clocks clock]",
        "# What gates the clock is stable while it is let through.",
        "set_clock_gating_check -setup 0 -hold 0",
        *(f"set_input_delay 0 -clock clock [get_ports {{{one}}}]" for one in inputs),
        *(f"set_output_delay 0 -clock clock [get_ports {{{one}}}]" for one in outputs),
    ]
    return "\n".join(lines) + "\n" + (_WORDS if latches else "")
