"""Netlists proved equal to the Verilog that they were made from, by ABC's combinational equivalence check."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from cipherassay import tools
from cipherassay.errors import ToolError, UsageError
from cipherassay.hardware.libraries import fixing
from cipherassay.hardware.libraries.technology import Technology
from cipherassay.hardware.netlists import rtlil
from cipherassay.hardware.tools import yosys
from cipherassay.hardware.tools.process import run

_EQUAL = "Networks are equivalent"
_DIFFERENT = "Networks are NOT EQUIVALENT"
_OUTPUT = re.compile(r"Output\s+(\S+?):?\s")


@dataclass(frozen=True)
class Verdict:
    """Whether a netlist computes what its source says; `words` are ABC's own where it does not."""

    function: str
    equal: bool
    words: str
    tool: str


def prove(
    modules: Mapping[str, rtlil.Module],
    function: str,
    netlist: str,
    technology: Technology,
    *,
    seconds: float = 600.0,
) -> Verdict:
    """Return whether a function's netlist computes what its source says, for every input.

    The source goes through Yosys's word-level steps (which choose how to add and multiply) without ABC; the
    netlist is read back from its Verilog, its cells opened by the functions of the library.

    Parameters
    ----------
    modules : mapping
        The design (`frontend.elaborate`).
    netlist : str
        Structural Verilog of the function (`verilog_netlist.write`).

    Raises
    ------
    UsageError
        ``H721``: the function has registers.
    ToolError
        ``T002``: there is no ABC; ``H701``, ``T004``: a tool failed, or the proof took too long; ``H722``:
        ABC gave no verdict.
    """
    if any(modules[name].has_state for name, _ in rtlil.reached(modules, function)):
        combinational = functions(modules)
        raise UsageError(
            "H721",
            f"`{function}` has registers: only functions are proved by themselves",
            help=f"its functions are {', '.join(combinational) or 'none'}",
        )
    abc = tools.require("abc")
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        (folder / "source.il").write_text(rtlil.cut(modules, function, frozenset()), encoding="utf-8")
        (folder / "netlist.v").write_text(netlist, encoding="utf-8")
        source = [
            "read_rtlil source.il", f"synth -flatten -noabc -top {function}", "techmap", "simplemap",
            "opt_clean", "setundef -zero -undriven", "write_blif source.blif",
        ]  # fmt: skip
        yosys.script(source, folder, doing=f"opening the source of {function}", seconds=seconds)
        yosys.script(_opened(function, technology), folder, doing="opening the netlist", seconds=seconds)
        printed = run(
            [abc, "-c", "cec source.blif netlist.blif"], folder, doing=f"proving {function}", seconds=seconds
        )
    return _verdict(function, printed)


def functions(modules: Mapping[str, rtlil.Module]) -> list[str]:
    """Return the modules without registers in or below them."""
    return sorted(
        name
        for name in modules
        if not any(modules[below].has_state for below, _ in rtlil.reached(modules, name))
    )


def _opened(function: str, technology: Technology) -> list[str]:
    return [
        f"read_liberty -ignore_miss_func {fixing.fixed_file(technology)}",
        "read_verilog netlist.v",
        f"hierarchy -top {function}",
        "flatten",
        "techmap",
        "simplemap",
        "opt_clean",
        "write_blif netlist.blif",
    ]


def _verdict(function: str, printed: str) -> Verdict:
    tool = f"abc {tools.find('abc').version}"
    if _DIFFERENT in printed:
        outputs = ", ".join(dict.fromkeys(_OUTPUT.findall(printed)))
        return Verdict(function, False, f"outputs that differ: {outputs or 'not named by ABC'}", tool)
    if _EQUAL in printed:
        return Verdict(function, True, "", tool)
    last = [line.strip() for line in printed.splitlines() if line.strip()][-3:]
    raise ToolError(
        "H722",
        f"ABC gave no verdict on `{function}`",
        notes=last,
        help="another release of ABC may print other words: `assay doctor` shows its version",
    )
