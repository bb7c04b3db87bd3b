"""Loads and slopes within a library's limits: buffers go where sinks are, whatever module drives them."""

from __future__ import annotations

import pytest

from cipherassay.hardware.libraries import technology
from cipherassay.hardware.netlists.netlist import Instance, Module, Netlist, Port
from cipherassay.hardware.timing import signoff, static_timing
from cipherassay.hardware.timing.repair.checking import demand_same
from cipherassay.hardware.timing.repair.limits import within_limits

GENERIC = technology.load("generic")
MANY = 60
WEAK = Module(
    "weak", (Port("a", "input", (2, 3)), Port("y", "output", (4,))),
    (Instance("g0", "NAND2X1", {"A": (2,), "B": (3,), "Y": (4,)}),),
)  # fmt: skip


def heavy(below: bool) -> Netlist:
    """Return a NAND that drives many large inverters, in a module below them or beside them."""
    driver = Instance("u0", "weak", {"a": (2, 3), "y": (4,)}) if below else WEAK.instances[0]
    outputs = tuple(range(5, 5 + MANY))
    inverters = tuple(Instance(f"i{n}", "INVX8", {"A": (4,), "Y": (n,)}) for n in outputs)
    top = Module("top", (Port("a", "input", (2, 3)), Port("y", "output", outputs)), (driver, *inverters))
    return {"top": top, **({"weak": WEAK} if below else {})}


def failing(netlist: Netlist) -> set[str]:
    work = static_timing.analysis(netlist, "top", GENERIC)
    return {one.name for one in signoff._of_limits(work, GENERIC) if one.failing and one.name != "sinks"}


@pytest.mark.parametrize("below", [False, True])
def test_buffers_bring_a_netlist_within_its_limits(below: bool) -> None:
    given = heavy(below)
    assert failing(given) == {"load", "slope"}
    made = within_limits(given, "top", GENERIC)
    assert not failing(made)
    demand_same(given, made, GENERIC)
    # The module below stays: the buffers are where its sinks are.
    assert not below or made["weak"] is WEAK
    added = [one.type for one in made["top"].instances if one not in given["top"].instances]
    assert any(kind.startswith("BUFX") for kind in added)


def test_several_ports_of_an_instance_on_a_net_move_together() -> None:
    """A module below has inputs a and b on the same net, with many sinks behind each."""
    half = MANY // 2
    outputs = tuple(range(4, 4 + MANY))
    sinks = tuple(Instance(f"i{n}", "INVX8", {"A": (2 + n % 2,), "Y": (n,)}) for n in outputs)
    below = Module("below", (Port("i", "input", (2, 3)), Port("y", "output", outputs)), sinks)
    nets = tuple(range(5, 5 + MANY))
    user = Instance("u0", "below", {"i": (4, 4), "y": nets})
    top = Module("top", (Port("a", "input", (2, 3)), Port("y", "output", nets)), (*WEAK.instances, user))
    given = {"top": top, "below": below}
    assert half > 8
    assert "load" in failing(given)
    made = within_limits(given, "top", GENERIC)
    assert not failing(made)
    demand_same(given, made, GENERIC)


def test_a_netlist_within_its_limits_stays() -> None:
    light = {"weak": WEAK}
    assert within_limits(light, "weak", GENERIC) == light
