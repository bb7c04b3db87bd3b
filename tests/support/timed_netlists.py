"""Netlists of small designs, and technologies with one timer or the other."""

from __future__ import annotations

from dataclasses import replace

import pytest

from cipherassay import tools
from cipherassay.hardware.libraries import technology
from cipherassay.hardware.netlists import netlist, rtlil
from cipherassay.hardware.synthesis import frontend, mapping, recipes

GENERIC = technology.load("generic")


def with_timer(one: technology.Technology, timer: str) -> technology.Technology:
    assert one.synthesis is not None
    return replace(one, synthesis=replace(one.synthesis, timer=timer))


def mapped(text: str, top: str, recipe: str, one: technology.Technology) -> netlist.Netlist:
    for name in ("yosys", "opensta"):
        if not tools.find(name).place:
            pytest.skip(f"{name} is not here: {tools.tools()[name].how_to_get()}")
    if not one.here():
        pytest.skip(f"{one.name} is not here: {one.obtain.how()}")
    top, modules = frontend.elaborate({"design.v": text}, top)
    gates = frontend.gates(rtlil.cut(modules, top, frozenset()), top, one)
    return mapping.mapped(gates, top, recipes.find(recipe), one)
