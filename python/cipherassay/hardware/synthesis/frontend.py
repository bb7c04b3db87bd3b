"""From Verilog to gates: read and split into modules, then each function made into gates and registers."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from cipherassay.errors import ToolError, UsageError, nearest
from cipherassay.hardware.libraries import fixing
from cipherassay.hardware.libraries.technology import Register, Technology
from cipherassay.hardware.netlists import rtlil
from cipherassay.hardware.tools import yosys

FORM = 4
"""The form of the script below: another number makes kept gates anew."""


def elaborate(files: Mapping[str, str], top: str = "") -> tuple[str, dict[str, rtlil.Module]]:
    """Return the top module's name and the modules of a Verilog design that it uses, as RTLIL.

    Parameters
    ----------
    files : mapping
        The text of each file by its name.
    top : str
        The top module; empty: the only one that no other uses.

    Raises
    ------
    ToolError
        ``H701``: Yosys refuses the text, in its own words.
    UsageError
        ``H705``: there is no such top module; ``H714``: none is named, and there are several.
    """
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        for name, text in files.items():
            (folder / Path(name).name).write_text(text, encoding="utf-8")
        names = sorted(Path(name).name for name in files)
        # SystemVerilog's further keywords (`interface`) may be names in Verilog.
        lines = [f"read_verilog {'-sv ' if name.endswith('.sv') else ''}{name}" for name in names]
        # Words as wide as their values: an operator's width decides whether it stands alone.
        lines += ["proc", "opt_expr", "wreduce", "opt_clean", "write_rtlil design.il"]
        yosys.script(lines, folder, doing=f"reading {', '.join(files)}")
        modules = rtlil.split((folder / "design.il").read_text(encoding="utf-8"))
    top = _top(modules, top)
    used = [name for name, _ in rtlil.reached(_complete(modules), top)]
    return top, {name: modules[name] for name in sorted(used)}


def _complete(modules: dict[str, rtlil.Module]) -> dict[str, rtlil.Module]:
    for module in modules.values():
        for child in module.children:
            if child not in modules:
                raise ToolError(
                    "H706",
                    f"`{module.name}` uses the module `{child}`, which no file holds",
                    help=nearest(child, modules),
                )
    return modules


def _top(modules: Mapping[str, rtlil.Module], top: str) -> str:
    used = {child for module in modules.values() for child in module.children}
    roots = sorted(set(modules) - used)
    if top and top not in modules:
        raise UsageError("H705", f"there is no module `{top}`", help=nearest(top, modules))
    if not top and len(roots) != 1:
        raise UsageError(
            "H714", "the top module is not clear", notes=[f"used by no other: {', '.join(roots) or 'none'}"],
            help="name it with --top",
        )  # fmt: skip
    return top or roots[0]


def gates(text: str, top: str, technology: Technology) -> str:
    """Return the RTLIL of one function or block: logic as gates, registers as cells of the library.

    Parameters
    ----------
    text : str
        RTLIL of the module and of what is below it (`rtlil.cut`).

    Raises
    ------
    ToolError
        ``H701``: Yosys failed.
    """
    _, synthesis = technology.timed()
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        (folder / "in.il").write_text(text, encoding="utf-8")
        latch = next(one for one in technology.register if one.name == synthesis.latch)
        (folder / "latches.v").write_text(latch_map(latch), encoding="utf-8")
        library = fixing.fixed_file(technology)
        lines = [
            "read_rtlil in.il",
            # Without Yosys's own call of ABC, whose gates take multiplexers of register blocks apart; with
            # registers where the design has them, not behind tables that they stand before.
            f"synth -flatten -noabc -nordff -top {top}",
            *_gates_of_latches(technology, folder),
            "techmap -map latches.v",
            f"dfflibmap -liberty {library}",
            "opt",
            "opt_clean",
            "write_rtlil out.il",
        ]
        yosys.script(lines, folder, doing=f"making gates of {top}")
        return (folder / "out.il").read_text(encoding="utf-8").split("\n", 1)[1]


def _gates_of_latches(technology: Technology, folder: Path) -> list[str]:
    """Return the lines that make the AND gates in front of latches clock gates of the library.

    Mapping to cells would take them for logic, and might put something that glitches in their place.
    """
    _, synthesis = technology.timed()
    gate = next((one for one in technology.cell if one.name == synthesis.clock_gate), None)
    if gate is None:
        return []
    first, second = gate.pins
    (folder / "clock_gate.v").write_text(
        "module \\$_AND_ (input A, input B, output Y);\n"
        f"  {gate.name} _TECHMAP_REPLACE_ (.{first}(A), .{second}(B), .{gate.output}(Y));\nendmodule\n",
        encoding="utf-8",
    )
    opening = "t:$_DLATCH_?_ %x1:+[E] t:$_DLATCH_?_ %d"
    return [f"select -set gates {opening} %ci1:+[Y] t:$_AND_ %i", "techmap -map clock_gate.v @gates"]


def latch_map(latch: Register) -> str:
    """Return the Verilog that replaces latches by the library's: `dfflibmap` maps flip-flops alone."""
    modules = []
    for name, level in (("$_DLATCH_P_", "high"), ("$_DLATCH_N_", "low")):
        gate, enable = (
            ("", "E") if level == latch.active else ("  wire e;\n  \\$_NOT_ n (.A(E), .Y(e));\n", "e")
        )
        modules.append(
            f"module \\{name} (input E, input D, output Q);\n{gate}"
            f"  {latch.name} l (.{latch.clock}({enable}), .{latch.data}(D), .{latch.output}(Q));\n"
            "endmodule\n"
        )
    return "".join(modules)


def versions(names: Sequence[str] = ()) -> str:
    """Return which tools made a result, for its row."""
    return "; ".join([yosys.version(), *names])
