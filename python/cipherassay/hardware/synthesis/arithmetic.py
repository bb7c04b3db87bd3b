"""Adders, subtractors and multipliers of a design as modules of their own, so that each gets its own grade.

A recipe that makes the logic around a sum small takes its carry tree apart, and one that keeps the tree
makes the logic large. Operators whose result only another one uses stay together: one carry-save sum.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from cipherassay.hardware.netlists.rtlil import Module

LEAST_BITS = 8
_CELL = re.compile(r"(?:^  attribute .*\n)*^  cell \$(add|sub|mul) (\S+)\n((?:    .*\n)*)  end\n", re.M)
_FIELD = re.compile(r"^    (parameter|connect) \\(\w+) (.*)$", re.M)
_WIRE = re.compile(r"^  wire (?:.* )?(\S+)$", re.M)
_WIDTH = re.compile(r" width (\d+) ")
_NAME = re.compile(r"(?<!\S)[\\$]\S+")
_CONNECT = re.compile(r"^ +connect (?:\\\w+ )?(.*)$", re.M)


@dataclass(frozen=True)
class _Operator:
    text: str
    kind: str
    parameters: tuple[tuple[str, str], ...]
    operands: tuple[str, str]
    result: str
    width: int


def apart(modules: Mapping[str, Module]) -> dict[str, Module]:
    """Return a design in which arithmetic of eight bits or more stands in modules of its own.

    Modules are called after their content, so that equal operators are one module.
    """
    found: dict[str, Module] = {}
    for name, module in sorted(modules.items()):
        text, made = _apart(module.text)
        found[name] = Module(name, text) if made else module
        found |= made
    return found


def _apart(text: str) -> tuple[str, dict[str, Module]]:
    operators = [_operator(one) for one in _CELL.finditer(text)]
    operators = [one for one in operators if one.width >= LEAST_BITS]
    widths = _widths(text)
    # Only what connections say is a use; a wire's declaration is none.
    uses = Counter(name for line in _CONNECT.findall(text) for name in _NAME.findall(line))
    made: dict[str, Module] = {}
    for number, cluster in enumerate(_clusters(operators, uses, text)):
        module, connections = _module(cluster, widths)
        made[module.name] = module
        pins = "".join(f"    connect \\{port} {signal}\n" for port, signal in connections)
        instance = f"  cell \\{module.name} \\operator_{number}\n{pins}  end\n"
        text = text.replace(cluster[0].text, instance, 1)
        for other in cluster[1:]:
            text = text.replace(other.text, "", 1)
    return text, made


def _operator(found: re.Match[str]) -> _Operator:
    fields = _FIELD.findall(found[3])
    connected = {name: value for kind, name, value in fields if kind == "connect"}
    parameters = tuple((name, value) for kind, name, value in fields if kind == "parameter")
    width = int(dict(parameters)["Y_WIDTH"])
    return _Operator(found[0], found[1], parameters, (connected["A"], connected["B"]), connected["Y"], width)


def _widths(text: str) -> dict[str, int]:
    widths = {}
    for found in _WIRE.finditer(text):
        width = _WIDTH.search(found[0])
        widths[found[1]] = int(width[1]) if width else 1
    return widths


def _clusters(operators: Sequence[_Operator], uses: Counter[str], text: str) -> list[list[_Operator]]:
    """Return the operators in groups, each in the order of its data: what is used once goes to its user."""
    ports = set(re.findall(r"^  wire .*\b(?:input|output) \d+ (\S+)$", text, re.M))
    group = {id(one): [one] for one in operators}
    for one in operators:
        users = [other for other in operators if one.result in other.operands and other is not one]
        plain = _NAME.fullmatch(one.result) is not None and one.result not in ports
        if plain and len(users) == 1 and uses[one.result] == 2 and group[id(one)] is not group[id(users[0])]:
            joined = group[id(one)] + group[id(users[0])]
            for member in joined:
                group[id(member)] = joined
    return list({id(members): members for members in group.values()}.values())


def _module(cluster: Sequence[_Operator], widths: Mapping[str, int]) -> tuple[Module, list[tuple[str, str]]]:
    """Return the module of a group and its connections; inputs are whole wires, in the order of their use."""
    inner = {one.result for one in cluster if any(one.result in other.operands for other in cluster)}
    names: dict[str, str] = {}
    connections: list[tuple[str, str]] = []
    lines: list[str] = []
    wires: list[str] = []
    for n, one in enumerate(cluster):
        body = [f"    parameter \\{name} {value}" for name, value in one.parameters]
        for pin, operand in zip("AB", one.operands, strict=True):
            for name in _NAME.findall(operand):
                if name not in names:
                    names[name] = f"\\m{len(names)}" if name in inner else f"\\i{len(names)}"
                    if name not in inner:
                        connections.append((names[name][1:], name))
            body.append(f"    connect \\{pin} {_NAME.sub(lambda found: names[found[0]], operand)}")
        if one.result in inner:
            result = names.setdefault(one.result, f"\\m{len(names)}")
            wires.append(f"  wire width {one.width} {result}")
        else:
            result = f"\\o{n}"
            connections.append((result[1:], one.result))
        lines += [f"  cell ${one.kind} \\operator_{n}", *body, f"    connect \\Y {result}", "  end"]
    return _named(cluster, connections, wires, lines, widths), connections


def _named(
    cluster: Sequence[_Operator],
    connections: Sequence[tuple[str, str]],
    wires: Sequence[str],
    lines: Sequence[str],
    widths: Mapping[str, int],
) -> Module:
    ports = []
    for number, (port, signal) in enumerate(connections, 1):
        output = port.startswith("o")
        width = cluster[int(port[1:])].width if output else widths[signal]
        ports.append(f"  wire width {width} {'output' if output else 'input'} {number} \\{port}")
    body = "\n".join([*ports, *wires, *lines, "end", ""])
    kinds = "_".join(dict.fromkeys(one.kind for one in cluster))
    name = f"{kinds}_{max(one.width for one in cluster)}_{hashlib.sha256(body.encode()).hexdigest()[:8]}"
    return Module(name, f"module \\{name}\n{body}")
