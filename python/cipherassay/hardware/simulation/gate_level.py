"""Gate-level simulation: a mapped netlist in Icarus Verilog with its cells' delays, at a period, from X.

The delays come from OpenSTA as an SDF file, under the loads and slopes of the whole netlist. Cells are the
vendor's models where the technology names them; else models are written from the technology's functions. No
register knows its value at power-up. Traffic and checks are those of every other simulation of a device.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from cipherassay import tools
from cipherassay.errors import VerificationError
from cipherassay.hardware.libraries.technology import Cell, Register, Technology
from cipherassay.hardware.netlists import verilog_netlist
from cipherassay.hardware.netlists.netlist import Instance, Module, Netlist
from cipherassay.hardware.rtl.build import Device
from cipherassay.hardware.simulation import benches, simulators
from cipherassay.hardware.simulation.events import Events, Verdict, verdict_of
from cipherassay.hardware.simulation.vectors import Vector
from cipherassay.hardware.timing import signoff

SECONDS = 1800.0
"""The longest that a simulation may take."""
_SAME_NET = "same_net"
_WAVES = "gates.vcd"
_PLACEHOLDER_NS = "0.001"
"""The delay of a path for which the SDF file has none."""


def simulated(
    device: Device,
    netlist: Netlist,
    technology: Technology,
    vectors: Sequence[Vector],
    period_ns: float,
) -> Verdict:
    """Return what a device's netlist does with vectors at a period; raises what `run` does."""
    with run(device, netlist, technology, vectors, period_ns) as (events, _):
        return verdict_of(device, vectors, events, "icarus, gates")


@contextmanager
def run(
    device: Device,
    netlist: Netlist,
    technology: Technology,
    vectors: Sequence[Vector],
    period_ns: float,
    *,
    waves: bool = False,
) -> Iterator[tuple[Events, Path]]:
    """Give the events of a device's netlist with vectors at a period, and the file of its waves if wanted.

    For waves registers know their values at power-up: what is unknown would hide changes.

    Raises
    ------
    ToolError
        ``H501``, ``T002``: Icarus Verilog or OpenSTA is not here.
    VerificationError
        ``H502``, ``H503``, ``H504``: Icarus refuses the files or does not come to an end; ``H771``: not all
        delays found their cells.
    """
    icarus = simulators.simulator("icarus")
    compiler = tools.require("iverilog")
    inner = f"{device.name}_netlist"
    whole = {inner if name == device.name else name: plain(module) for name, module in netlist.items()}
    whole[inner] = replace(whole[inner], name=inner)
    with tempfile.TemporaryDirectory(prefix="assay-gates-") as place:
        folder = Path(place)
        (folder / "netlist.v").write_text(_netlist_text(whole, technology), encoding="utf-8")
        (folder / "cells.v").write_text(models(technology, known=waves), encoding="utf-8")
        (folder / "wrapper.v").write_text(wrapper(device, inner), encoding="utf-8")
        (folder / "delays.sdf").write_text(signoff.sdf(whole, inner, technology, period_ns), encoding="utf-8")
        bench = benches.bench(device, vectors, "verilog", period_ns)
        for name, content in (bench, benches.vector_file(device, vectors)):
            (folder / name).write_text(content, encoding="utf-8")
        files = ["cells.v", "netlist.v", "wrapper.v", bench[0]]
        top = f"{device.name}_bench"
        options = ["-g2005-sv", "-gspecify", "-Ttyp", "-o", "simulation", "-s", top]
        icarus.execute([compiler, *options, *files], folder, device.name, "refuses")
        machine = icarus.start(compiler, top, "")[0]
        words = [machine, "-n", "simulation", "-sdf-warn", "+events", *["+gates"] * waves]
        done = icarus.execute(words, folder, device.name, "stops in", SECONDS)
        said = (done.out + done.err).splitlines()
        missed = [line for line in said if line.startswith(("SDF WARNING", "SDF ERROR"))]
        if missed:
            raise VerificationError(
                "H771", f"delays of {device.name} did not find their cells", notes=missed[:4],
                help="the models and the library do not fit together",
            )  # fmt: skip
        yield simulators.read_events(done.out, device.name, "icarus"), folder / _WAVES


def plain(module: Module) -> Module:
    """Return a module whose instances have names without marks, by which an SDF file finds them."""
    used: set[str] = set()
    instances = []
    for one in module.instances:
        name = plain = re.sub(r"\W", "_", one.name)
        number = 0
        while name in used:
            number += 1
            name = f"{plain}_{number}"
        used.add(name)
        instances.append(replace(one, name=name))
    return replace(module, instances=tuple(instances))


def _apart(module: Module, cells: set[str]) -> Module:
    """Return a module with no two pins of a cell on one net: Icarus would take their paths for one."""
    net, instances = module.next_net, []
    for one in module.instances:
        pins, seen = dict(one.pins), set()
        for pin, bits in one.pins.items() if one.type in cells else ():
            if bits[0] in seen:
                pins[pin] = (net,)
                instances.append(Instance(f"same_{net}", _SAME_NET, {"A": bits, "Y": (net,)}))
                net += 1
            seen.add(bits[0])
        instances.append(replace(one, pins=pins))
    return replace(module, instances=tuple(instances))


def _netlist_text(netlist: Netlist, technology: Technology) -> str:
    """Return the netlist with constants on nets: Icarus has no path from a pin that is a constant itself."""
    cells = set(technology.costs())
    apart = {name: _apart(module, cells) for name, module in netlist.items()}
    text = verilog_netlist.write(apart).replace("(1'b0)", "(constant_0)").replace("(1'b1)", "(constant_1)")
    declared = "  wire constant_0, constant_1;\n  pulldown (constant_0);\n  pullup (constant_1);\n"
    text = re.sub(r"^\);\n", f");\n{declared}", text, flags=re.M)
    same = f"module {_SAME_NET} (input A, output Y);\n  buf (Y, A);\nendmodule\n"
    return f"`timescale 1ns / 1ps\n{same}{text}"


def wrapper(device: Device, inner: str) -> str:
    """Return the device's module around a netlist, whose ports are single bits."""
    ports = [("clock", "input", 1), ("reset", "input", 1), *device.pins]
    heads = [f"  {direction} {verilog_netlist.bit_range(width)}{name}" for name, direction, width in ports]
    pins = []
    for name, _, width in ports:
        for n in range(width):
            bit = verilog_netlist.bit_name(name, n, width)
            pins.append(f"    .{verilog_netlist.escaped(bit)}({name}{f'[{n}]' if width > 1 else ''})")
    lines = [
        "`timescale 1ns / 1ps", f"module {device.name} (", ",\n".join(heads), ");",
        f"  {inner} netlist (", ",\n".join(pins), "  );",
        '  initial $sdf_annotate("delays.sdf", netlist);',
        f'  initial if ($test$plusargs("gates")) begin $dumpfile("{_WAVES}"); $dumpvars(0, netlist); end',
        "endmodule", "",
    ]  # fmt: skip
    return "\n".join(lines)


def models(technology: Technology, *, known: bool = False) -> str:
    """Return Verilog models of a technology's cells: the vendor's, or written from their functions.

    With `known` they are written, and registers are 0 at power-up.
    """
    synthesis = technology.liberty
    if synthesis is not None and synthesis.verilog and not known:
        return technology.read(synthesis.verilog).replace("1ns/10ps", "1ns/1ps")
    states = _states(technology, "state = 1'b0" if known else "state")
    return "`timescale 1ns / 1ps\n" + "\n".join([*states, *map(_cell, technology.cell)])


def _cell(cell: Cell) -> str:
    outputs = cell.outputs()
    ports = [*(f"input {pin}" for pin in cell.pins), *(f"output {out}" for out in outputs)]
    lines = [f"module {cell.name} ({', '.join(ports)});"]
    lines += [f"  assign {out} = {function};" for out, function in outputs.items()]
    paths = [f"    ({pin} => {out}) = {_PLACEHOLDER_NS};" for out in outputs for pin in cell.pins]
    return "\n".join([*lines, "  specify", *paths, "  endspecify", "endmodule", ""])


def _states(technology: Technology, state: str) -> Iterator[str]:
    """Yield the models of registers; ``state`` declares what they hold."""
    for one in technology.register:
        if not (one.clear or one.preset):
            yield _flip_flop(one, state) if one.kind == "flip-flop" else _latch(one, state)


def _flip_flop(one: Register, state: str) -> str:
    edge = "posedge" if one.active == "rising" else "negedge"
    return "\n".join([
        f"module {one.name} (input {one.clock}, input {one.data}, output {one.output});",
        f"  reg {state};", f"  always @({edge} {one.clock}) state <= {one.data};",
        f"  assign {one.output} = state;",
        "  specify",
        f"    ({edge} {one.clock} => ({one.output} +: {one.data})) = {_PLACEHOLDER_NS};", "  endspecify",
        "endmodule", "",
    ])  # fmt: skip


def _latch(one: Register, state: str) -> str:
    is_open = one.clock if one.active == "high" else f"!{one.clock}"
    return "\n".join([
        f"module {one.name} (input {one.clock}, input {one.data}, output {one.output});",
        # With its enable unknown it holds only what it would take anyway.
        f"  reg {state};",
        f"  always @({one.clock} or {one.data})",
        f"    if (({is_open}) === 1'b1) state = {one.data};",
        f"    else if (({is_open}) !== 1'b0 && state !== {one.data}) state = 1'bx;",
        f"  assign {one.output} = state;",
        f"  specify\n    ({one.clock} => {one.output}) = {_PLACEHOLDER_NS};\n"
        f"    ({one.data} => {one.output}) = {_PLACEHOLDER_NS};\n  endspecify",
        "endmodule", "",
    ])  # fmt: skip
