"""Buffers that only name an output, and more of them than sinks need: dropped, and nothing else."""

from __future__ import annotations

from cipherassay.hardware.libraries import technology
from cipherassay.hardware.netlists.netlist import Instance, Module, Port
from cipherassay.hardware.netlists.spare_buffers import without_spare_buffers

OSU = technology.load("osu050")


def gate(name: str, kind: str, **pins: int | str) -> Instance:
    return Instance(name, kind, {pin: (bit,) for pin, bit in pins.items()})


def module(*instances: Instance, y: tuple[int, ...]) -> Module:
    ports = (Port("a", "input", (1, 2)), Port("clock", "input", (3,)), Port("y", "output", y))
    return Module("m", ports, instances)


NAND = gate("n", "NAND2X1", A=1, B=2, Y=10)
INVERTER = gate("i", "INVX1", A=10, Y=11)


def dropped(given: Module, most: int = 16) -> Module:
    return without_spare_buffers({"m": given}, OSU, most)["m"]


def test_an_output_that_is_used_inside_needs_no_buffer() -> None:
    found = dropped(module(NAND, INVERTER, gate("b", "BUFX2", A=10, Y=12), y=(12, 11)))
    assert found == module(NAND, INVERTER, y=(10, 11))


def test_a_register_and_a_unit_behind_a_buffer() -> None:
    register = gate("r", "DFFPOSX1", D=12, CLK=3, Q=13)
    unit = gate("u", "another", x=12, z=14)
    found = dropped(module(NAND, gate("b", "BUFX2", A=10, Y=12), register, unit, y=(13, 14)))
    assert [one.pins.get("D") or one.pins.get("x") for one in found.instances[1:]] == [(10,), (10,)]


def test_what_stays() -> None:
    buffer = gate("b", "BUFX2", A=10, Y=12)
    of_gates = module(NAND, buffer, gate("i", "INVX1", A=12, Y=11), y=(11, 12))
    of_input = module(gate("b", "BUFX2", A=1, Y=12), y=(12,))
    two_names = module(NAND, buffer, y=(10, 12))
    of_unit = module(gate("u", "another", x=1, z=10), buffer, y=(12,))
    for given in (of_gates, of_input, two_names, of_unit):
        assert dropped(given) is given
    third = gate("c", "BUFX2", A=10, Y=15)
    assert [one.name for one in dropped(module(NAND, buffer, third, y=(12, 15))).instances] == ["n", "c"]


def test_nets_keep_to_the_most_sinks() -> None:
    inverters = [gate(f"i{n}", "INVX1", A=10, Y=20 + n) for n in range(3)]
    given = module(NAND, *inverters, gate("b", "BUFX2", A=10, Y=12), y=(12, 20, 21, 22))
    assert dropped(given, most=3) is given
    assert len(dropped(given, most=4).instances) == len(given.instances) - 1


def test_buffers_of_one_net_have_as_many_sinks_as_may_be() -> None:
    buffers = [gate(f"b{n}", "BUFX2", A=10, Y=30 + n) for n in range(4)]
    sinks = [gate(f"i{n}", "INVX1", A=30 + n // 3, Y=40 + n) for n in range(12)]
    given = module(NAND, *buffers, *sinks, y=tuple(range(40, 52)))
    found = dropped(given, most=6)
    assert [one.name for one in found.instances if one.type == "BUFX2"] == ["b0", "b2"]
    assert [one.pins["A"] for one in found.instances if one.type == "INVX1"] == [(30,)] * 6 + [(32,)] * 6
    assert [one.name for one in dropped(given, most=12).instances if one.type == "BUFX2"] == ["b0"]
    larger = [gate("b0", "BUFX4", A=10, Y=30), *buffers[1:]]
    mixed = dropped(module(NAND, *larger, *sinks, y=tuple(range(40, 52))), most=6)
    assert [one.name for one in mixed.instances if one.type.startswith("BUF")] == ["b0", "b1", "b3"]
