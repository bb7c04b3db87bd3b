"""Traces that contradict an assertion: the pins clock by clock, from ABC, and what the device answers."""

from __future__ import annotations

import re
import tempfile
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

from cipherassay import tools
from cipherassay.hardware.tools.process import run
from cipherassay.tools import running

Clock = dict[str, int]
"""What pins are in a clock."""
SHOWN = 12
"""Clocks of a trace that an error shows: its last."""
_INPUT = re.compile(r"^input (\d+) (\d+) (\S+)$", re.MULTILINE)
_VALUE = re.compile(r"^pi(\d+)@(\d+)=([01])$", re.MULTILINE)
_BENCH = """`timescale 1ns / 1ns
module replay;
  reg clock = 1'b0;
{declarations}
  {top} device ({connections});
  initial begin
{clocks}
    $finish;
  end
endmodule
"""


def read(text: str, names: str) -> list[Clock]:
    """Return the clocks of a trace: what the input pins are.

    Parameters
    ----------
    text : str
        What ABC's ``write_cex -n`` wrote.
    names : str
        The map of the inputs that Yosys wrote beside the AIGER file.
    """
    bits = {int(number): (pin, int(bit)) for number, bit, pin in _INPUT.findall(names)}
    clocks: defaultdict[int, Clock] = defaultdict(dict)
    for number, clock, value in _VALUE.findall(text):
        if int(number) in bits:
            pin, bit = bits[int(number)]
            clocks[int(clock)][pin] = clocks[int(clock)].get(pin, 0) | int(value) << bit
    return [clocks[n] for n in range(max(clocks, default=-1) + 1)]


def answered(
    trace: Sequence[Clock], files: Mapping[str, str], top: str, pins: Sequence[tuple[str, str, int]]
) -> list[Clock]:
    """Return a trace with the output pins of one bit, by Icarus Verilog; as it is where there is none.

    Parameters
    ----------
    pins : sequence
        Name, direction and width of the pins of the module `top`, without its clock.

    Raises
    ------
    ToolError
        ``H701``, ``T004``: Icarus Verilog failed, or did not end.
    """
    if not tools.find("iverilog").place:
        return list(trace)
    shown = [name for name, direction, width in pins if direction == "output" and width == 1]
    inputs = [(name, width) for name, direction, width in pins if direction == "input"]
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        bench = _BENCH.format(
            declarations="\n".join(
                f"  {'wire' if direction == 'output' else 'reg'} [{width - 1}:0] {name};"
                for name, direction, width in pins
            ),
            top=top,
            connections=", ".join([".clock(clock)", *(f".{name}({name})" for name, _, _ in pins)]),
            clocks="\n".join(_clock(one, inputs, shown) for one in trace),
        )
        for name, text in {**files, "replay.v": bench}.items():
            (folder / name).write_text(text, encoding="utf-8")
        build = [tools.require("iverilog"), "-g2012", "-o", "replay", "-s", "replay", *files, "replay.v"]
        run(build, folder, doing=f"building {top}", seconds=running.BUILD)
        command = [str(Path(tools.require("iverilog")).with_name("vvp")), "-n", "replay"]
        printed = run(command, folder, doing=f"replaying {top}", seconds=running.EXECUTE)
    found = [line.split()[1:] for line in printed.splitlines() if line.startswith("pins ")]
    return [
        clock | {pin: int(bit) for pin, bit in zip(shown, bits, strict=True) if bit in "01"}
        for clock, bits in zip(trace, found, strict=True)
    ]


def _clock(clock: Clock, inputs: Sequence[tuple[str, int]], shown: Sequence[str]) -> str:
    given = [f"    {name} = {width}'h{clock.get(name, 0):x};" for name, width in inputs]
    form, names = " ".join(["%b"] * len(shown)), ", ".join(shown)
    shows = f'    #1 $display("pins {form}", {names});'
    return "\n".join([*given, shows, "    clock = 1'b1; #1 clock = 1'b0;"])


def table(trace: Sequence[Clock], pins: Sequence[tuple[str, str, int]]) -> list[str]:
    """Return the last clocks of a trace as lines: the pins of one bit or two, without those that are 0."""
    names = [name for name, _, width in pins if width <= 2]
    first = max(0, len(trace) - SHOWN)
    lines = [f"clock {n}: {_shown(one, names)}" for n, one in enumerate(trace) if n >= first]
    return [f"clocks 0 to {first - 1} are not shown", *lines] if first else lines


def _shown(clock: Clock, names: Sequence[str]) -> str:
    ones = [name if clock[name] == 1 else f"{name}={clock[name]}" for name in names if clock.get(name)]
    return " ".join(ones) or "all 0"
