"""The functions of a design, each mapped by itself, as netlists that can be proved equal to their source."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence

from cipherassay.errors import UsageError, nearest
from cipherassay.hardware.libraries.technology import Technology
from cipherassay.hardware.netlists import equivalence, fanout, netlist, rtlil, verilog_netlist
from cipherassay.hardware.netlists.rtlil import Module
from cipherassay.hardware.synthesis import recipes, units
from cipherassay.hardware.synthesis.job_results import results
from cipherassay.hardware.synthesis.jobs import Gates, Library, Map
from cipherassay.jobs import Local


def functions(modules: Mapping[str, Module], top: str, wanted: Sequence[str] = ()) -> list[str]:
    """Return the modules without registers that are mapped by themselves: those asked for, or all.

    Raises
    ------
    UsageError
        ``H705``: there is no module of a name.
    """
    known = equivalence.functions(modules)
    for name in wanted:
        if name not in modules:
            raise UsageError("H705", f"there is no module `{name}`", help=nearest(name, known))
    if wanted:
        return list(dict.fromkeys(wanted))
    if top in known:
        return [top]
    return sorted(units.units(modules, top, "functions") & set(known))


def mapped(
    modules: Mapping[str, Module], names: Sequence[str], wanted: Sequence[str], technology: Technology
) -> Iterator[tuple[str, str, str]]:
    """Yield functions mapped by recipes: function, recipe, the netlist's Verilog with its buffer trees."""
    library, place = Library.of(technology), Local()
    for name in names:
        (gates,) = results([Gates(rtlil.cut(modules, name, frozenset()), name, library)], place)
        jobs = [Map(gates, name, recipe, library) for recipe in wanted]
        for job, text in zip(jobs, results(jobs, place), strict=True):
            made = netlist.from_json(json.loads(text)["netlist"])
            trees = fanout.buffered(made, technology, recipes.find(job.recipe).sinks)
            yield name, job.recipe, verilog_netlist.write(trees)
