"""From gates to cells: ABC within Yosys, by a recipe."""

from __future__ import annotations

import tempfile
from pathlib import Path

from cipherassay.hardware.libraries import fixing
from cipherassay.hardware.libraries.technology import Technology
from cipherassay.hardware.netlists import netlist
from cipherassay.hardware.netlists.netlist import Netlist
from cipherassay.hardware.netlists.spare_buffers import without_spare_buffers
from cipherassay.hardware.synthesis.recipes import Recipe
from cipherassay.hardware.tools import yosys


def mapped(text: str, top: str, recipe: Recipe, technology: Technology) -> Netlist:
    """Return the netlist of one function or block, made of the library's cells and the units below it.

    Parameters
    ----------
    text : str
        What `frontend.gates` gave.

    Raises
    ------
    ToolError
        ``H701``: Yosys or ABC failed; ``T004``: it took too long.
    """
    _, synthesis = technology.timed()
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        (folder / "in.il").write_text(text, encoding="utf-8")
        (folder / "recipe.abc").write_text(recipe.script, encoding="utf-8")
        limits = f"set_driving_cell {synthesis.driver}\nset_load {synthesis.load_ff:g}\n"
        (folder / "limits").write_text(limits, encoding="utf-8")
        library = fixing.fixed_file(technology)
        lines = [
            "read_rtlil in.il",
            f"abc -liberty {library} -constr limits -script recipe.abc",
            "opt_clean",
            "setundef -zero -undriven",
            "opt_clean",
            "write_json out.json",
        ]
        yosys.script(lines, folder, doing=f"mapping {top} by recipe {recipe.name}")
        made = netlist.read_yosys((folder / "out.json").read_text(encoding="utf-8"))
    return without_spare_buffers(made, technology, recipe.sinks)
