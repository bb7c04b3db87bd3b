"""The shift registers around a core on a chip with few pins, as Verilog."""

from __future__ import annotations

from collections.abc import Mapping

TOP = "between_shift_registers"
FORM = 1
"""Another number where the text changes: results that were kept are then made anew."""


def verilog(core: str, ports: Mapping[str, tuple[str, int]], clock: str) -> str:
    """Return a module of four pins around a core, which is declared without contents.

    Parameters
    ----------
    ports : mapping
        Direction and width of each of the core's ports.
    clock : str
        The port that is its clock, empty if it has none.
    """
    inputs = [(name, width) for name, (way, width) in ports.items() if way == "input" and name != clock]
    outputs = [(name, width) for name, (way, width) in ports.items() if way == "output"]
    coming, going = (max(1, sum(width for _, width in side)) for side in (inputs, outputs))
    pins = [f"    .\\{clock} (clock)"] if clock else []
    for side, register in ((inputs, "coming"), (outputs, "result")):
        begin = 0
        for name, width in side:
            pins.append(f"    .\\{name} ({register}[{begin + width - 1}:{begin}])")
            begin += width
    heads = [f"  {way} [{width - 1}:0] \\{name} " for name, (way, width) in ports.items()]
    return "\n".join(
        [
            "(* blackbox *)",
            f"module \\{core} (",
            ",\n".join(heads),
            ");",
            "endmodule",
            f"module {TOP}(input clock, input in, input capture, output out);",
            f"  reg [{coming - 1}:0] coming;",
            f"  reg [{going - 1}:0] going;",
            f"  wire [{going - 1}:0] result;",
            f"  \\{core} core (",
            ",\n".join(pins),
            "  );",
            "  always @(posedge clock) begin",
            f"    coming <= {{coming[{max(coming - 2, 0)}:0], in}};",
            f"    going <= capture ? result : {{going[{max(going - 2, 0)}:0], 1'b0}};",
            "  end",
            f"  assign out = going[{going - 1}];",
            "endmodule",
            "",
        ]
    )
