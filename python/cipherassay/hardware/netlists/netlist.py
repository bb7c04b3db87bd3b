"""Netlists: modules of cells and of other modules, as Yosys writes them; what they hold, counted."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from cipherassay.errors import ToolError, nearest
from cipherassay.hardware.libraries.technology import Technology

Bit = int | str
"""A net of a module by its number, or a constant: ``"0"``, ``"1"``."""


@dataclass(frozen=True)
class Port:
    """A port; bit 0 first."""

    name: str
    direction: str
    bits: tuple[Bit, ...]


@dataclass(frozen=True)
class Instance:
    """A cell of the library, or another module; each pin with its bits, bit 0 first."""

    name: str
    type: str
    pins: dict[str, tuple[Bit, ...]]


@dataclass(frozen=True)
class Module:
    """A module of a netlist."""

    name: str
    ports: tuple[Port, ...]
    instances: tuple[Instance, ...]

    @cached_property
    def counts(self) -> Counter[str]:
        """How often each type stands in the module itself."""
        return Counter(one.type for one in self.instances)

    @cached_property
    def types(self) -> dict[str, str]:
        """The type of each instance by its name."""
        return {one.name: one.type for one in self.instances}

    @cached_property
    def next_net(self) -> int:
        """A number above those of all nets."""
        ports = (bit for port in self.ports for bit in port.bits)
        pins = (bit for one in self.instances for bits in one.pins.values() for bit in bits)
        return 1 + max((bit for group in (ports, pins) for bit in group if isinstance(bit, int)), default=0)


Netlist = dict[str, Module]
"""A design: its modules by their names."""


@dataclass(frozen=True)
class Size:
    """What a part is made of."""

    area_um2: float = 0.0
    transistors: int = 0
    cells: dict[str, int] = field(default_factory=dict)

    def __add__(self, other: Size) -> Size:
        cells = Counter(self.cells)
        cells.update(other.cells)
        return Size(
            self.area_um2 + other.area_um2, self.transistors + other.transistors, dict(sorted(cells.items()))
        )


def read_yosys(text: str) -> Netlist:
    """Return the netlist of Yosys's JSON, without modules that are only ports.

    Cells get short names; flip-flops are called after the register bit that they drive.
    """
    modules = json.loads(text)["modules"]
    return {
        name: _module(name, body)
        for name, body in sorted(modules.items())
        if not int(body.get("attributes", {}).get("blackbox", "0"), 2)
    }


def _module(name: str, body: dict[str, Any]) -> Module:
    ports = tuple(
        Port(port, entry["direction"], tuple(entry["bits"])) for port, entry in sorted(body["ports"].items())
    )
    nets = _public_names(body)
    used: set[str] = set()
    instances = []
    # Newer releases of Yosys note where flattened modules were in cells that are none.
    cells = {name: entry for name, entry in body["cells"].items() if entry["type"] != "$scopeinfo"}
    for number, (cell, entry) in enumerate(sorted(cells.items(), key=_in_order)):
        pins = {pin: tuple(bits) for pin, bits in sorted(entry["connections"].items())}
        instances.append(Instance(_cell_name(cell, number, pins, nets, used), entry["type"], pins))
    return Module(name, ports, tuple(instances))


def _in_order(item: tuple[str, dict[str, Any]]) -> tuple[str, str]:
    """Order by type, then name: the names that Yosys makes up hold numbers that must not decide."""
    return item[1]["type"], item[0]


def _public_names(body: dict[str, Any]) -> dict[Bit, str]:
    names: dict[Bit, str] = {}
    for name, entry in sorted(body["netnames"].items()):
        if entry.get("hide_name"):
            continue
        for n, bit in enumerate(entry["bits"]):
            names.setdefault(bit, name if len(entry["bits"]) == 1 else f"{name}[{n}]")
    return names


def _cell_name(
    cell: str, number: int, pins: dict[str, tuple[Bit, ...]], nets: dict[Bit, str], used: set[str]
) -> str:
    name = cell
    if cell.startswith(("$", "_")):
        driven = nets.get(pins["Q"][0]) if len(pins.get("Q", ())) == 1 else None
        name = f"{driven}_register" if driven else f"g{number}"
    while name in used:
        name += "_"
    used.add(name)
    return name


def to_json(netlist: Netlist, known: dict[int, tuple[Module, str]] | None = None) -> str:
    """Return a netlist as text that `from_json` reads.

    Parameters
    ----------
    known
        Texts of modules written before by their identity, where many netlists of a design follow one another.
    """
    known = {} if known is None else known
    texts = []
    for _, module in sorted(netlist.items()):
        if id(module) not in known:
            known[id(module)] = (module, _json(module))
        texts.append(known[id(module)][1])
    return f"[{','.join(texts)}]"


def _json(module: Module) -> str:
    entry = [
        module.name,
        [[port.name, port.direction, port.bits] for port in module.ports],
        [[one.name, one.type, one.pins] for one in module.instances],
    ]
    return json.dumps(entry, separators=(",", ":"))


def from_json(text: str) -> Netlist:
    """Return the netlist that `to_json` wrote."""
    return {
        name: Module(
            name,
            tuple(Port(port, direction, tuple(bits)) for port, direction, bits in ports),
            tuple(
                Instance(one, kind, {pin: tuple(bits) for pin, bits in pins.items()})
                for one, kind, pins in instances
            ),
        )
        for name, ports, instances in json.loads(text)
    }


def size(netlist: Netlist, top: str, technology: Technology) -> Size:
    """Return the size of a module with all below it.

    Raises
    ------
    ToolError
        ``H704``: it holds a type that neither the library nor the netlist has.
    """
    return _size(netlist, top, technology, {})


def _size(netlist: Netlist, name: str, technology: Technology, known: dict[str, Size]) -> Size:
    if name in known:
        return known[name]
    costs = technology.costs()
    total = Counter[str]()
    for kind, count in sorted(netlist[name].counts.items()):
        if kind in costs:
            total[kind] += count
        elif kind in netlist:
            below = _size(netlist, kind, technology, known)
            total.update({cell: number * count for cell, number in below.cells.items()})
        else:
            raise _unknown(kind, name, technology)
    area = sum(costs[kind].area_um2 * count for kind, count in total.items())
    transistors = sum(costs[kind].transistors * count for kind, count in total.items())
    known[name] = Size(area, transistors, dict(sorted(total.items())))
    return known[name]


def registers(whole: Size, technology: Technology) -> Size:
    """Return the part of a size that cells with a state have: flip-flops and latches."""
    costs, names = technology.costs(), {one.name for one in technology.register}
    cells = {kind: count for kind, count in whole.cells.items() if kind in names}
    area = sum(costs[kind].area_um2 * count for kind, count in cells.items())
    return Size(area, sum(costs[kind].transistors * count for kind, count in cells.items()), cells)


def _unknown(kind: str, module: str, technology: Technology) -> ToolError:
    return ToolError(
        "H704",
        f"the netlist of `{module}` holds `{kind}`, which is no cell of `{technology.name}`",
        notes=["a cell that was not mapped has no area"],
        help=nearest(kind, technology.costs()),
    )


def without_children(netlist: Netlist, technology: Technology) -> Netlist:
    """Return a netlist without instances of modules that it does not hold: the units below a unit."""
    costs = technology.costs()
    return {
        name: replace(
            module,
            instances=tuple(one for one in module.instances if one.type in costs or one.type in netlist),
        )
        for name, module in netlist.items()
    }


def merged(netlists: Mapping[str, Netlist]) -> Netlist:
    """Return one netlist of the units, each taken from its own."""
    return {name: one[name] for name, one in sorted(netlists.items())}
