"""Netlists as structural Verilog with single-bit ports, which timing analysers read without surprises."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from cipherassay.hardware.netlists.netlist import Bit, Instance, Module, Netlist


def write(netlist: Netlist, known: dict[int, tuple[Module, str]] | None = None) -> str:
    """Return a netlist as Verilog: every bit of a port is a port of its own, called ``\\name[3] ``.

    Parameters
    ----------
    known
        Texts of modules written before by their identity, where many netlists of a design follow one another.
    """
    wide = {name: {port.name: len(port.bits) for port in module.ports} for name, module in netlist.items()}
    known = {} if known is None else known
    texts = []
    for _, module in sorted(netlist.items()):
        if id(module) not in known:
            known[id(module)] = (module, _module(module, wide))
        texts.append(known[id(module)][1])
    return "\n".join(texts)


def bit_name(port: str, bit: int, width: int) -> str:
    """Return the name of a bit of a port."""
    return port if width == 1 else f"{port}[{bit}]"


def bit_range(width: int) -> str:
    """Return what stands before the name of something so wide, with a space behind; nothing for a bit."""
    return f"[{width - 1}:0] " if width > 1 else ""


def escaped(name: str) -> str:
    """Return a name as Verilog takes it."""
    plain = name.replace("_", "a").isalnum() and name.isascii() and not name[0].isdigit()
    return name if plain and name not in _KEYWORDS else f"\\{name} "


_KEYWORDS = frozenset(
    (
        "and",
        "assign",
        "begin",
        "buf",
        "case",
        "else",
        "end",
        "endmodule",
        "for",
        "if",
        "initial",
        "inout",
        "input",
        "module",
        "nand",
        "nor",
        "not",
        "or",
        "output",
        "reg",
        "table",
        "wire",
        "xnor",
        "xor",
    )  # fmt: skip
)


def _module(module: Module, wide: Mapping[str, Mapping[str, int]]) -> str:
    nets: dict[Bit, str] = {"0": "1'b0", "1": "1'b1", "x": "1'b0"}
    heads: list[str] = []
    aliases: list[str] = []
    # Inputs name their nets first: an output on the same net is then an alias of the input.
    for port in sorted(module.ports, key=lambda one: one.direction != "input"):
        for n, bit in enumerate(port.bits):
            name = escaped(bit_name(port.name, n, len(port.bits)))
            heads.append(f"{port.direction} {name}")
            if bit in nets:
                aliases.append(f"  assign {name} = {nets[bit]};")
            else:
                nets[bit] = name
    named = set(nets)
    wires = sorted({bit for one in module.instances for bit in _bits(one) if bit not in named}, key=str)
    nets |= {bit: f"n{bit}" for bit in wires}
    lines = [f"module {escaped(module.name)}(", ",\n".join(f"  {head}" for head in heads), ");"]
    lines += [f"  wire {nets[bit]};" for bit in wires]
    lines += aliases
    lines += [_instance(one, nets, wide.get(one.type, {})) for one in module.instances]
    return "\n".join([*lines, "endmodule", ""])


def _bits(one: Instance) -> Iterator[Bit]:
    for bits in one.pins.values():
        yield from bits


def _instance(one: Instance, nets: Mapping[Bit, str], wide: Mapping[str, int]) -> str:
    pins = []
    for pin, bits in one.pins.items():
        width = wide.get(pin, 1)
        pins += [f".{escaped(bit_name(pin, n, width))}({nets[bit]})" for n, bit in enumerate(bits)]
    return f"  {escaped(one.type)} {escaped(one.name)} ({', '.join(pins)});"
