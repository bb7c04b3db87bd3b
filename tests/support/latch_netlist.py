"""A word of one latch behind its clock gate, with the registers around it, in the cells of the OSU libraries."""

from __future__ import annotations

from cipherassay.hardware.netlists.netlist import Instance, Module, Netlist, Port

CELLS = {
    "data": ("DFFPOSX1", {"D": 10, "CLK": 2, "Q": 20}),
    "write": ("DFFNEGX1", {"D": 11, "CLK": 2, "Q": 21}),
    "late": ("BUFX2", {"A": 21, "Y": 22}),
    "gate": ("AND2X2", {"A": 2, "B": 22, "Y": 23}),
    "word": ("LATCH", {"D": 20, "CLK": 23, "Q": 24}),
    "read": ("DFFPOSX1", {"D": 24, "CLK": 2, "Q": 12}),
}


def through_a_latch(**other: tuple[str, dict[str, int]]) -> Netlist:
    """Return a word of one latch behind its clock gate, its registers around it; some cells may be others."""
    inputs = [Port(name, "input", (net,)) for name, net in (("clock", 2), ("d", 10), ("w", 11))]
    ports = [*inputs, Port("q", "output", (12,))]
    instances = [
        Instance(name, kind, {pin: (net,) for pin, net in pins.items()}) for name, (kind, pins) in (CELLS | other).items()
    ]
    return {"top": Module("top", tuple(ports), tuple(instances))}
