"""Simulators of others as oracles of a device: one interface, one stream of events.

A missing tool is ToolError ``H501``; a file that a simulator refuses is VerificationError ``H502``; one
that does not come to its end is ``H503``.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from cipherassay import tools
from cipherassay.errors import ToolError, UsageError, VerificationError, nearest
from cipherassay.hardware.rtl.build import Device
from cipherassay.hardware.simulation import benches, own
from cipherassay.hardware.simulation.events import Events
from cipherassay.hardware.simulation.vectors import Vector
from cipherassay.hardware.simulation.waves import Value, rows
from cipherassay.tools import running

Files = Sequence[tuple[str, str]] | None
"""Names and texts of modules; None: those that the design is written as."""
_EVENT = re.compile(r"^(key|block|result|end) (\d+)(?: (\d+))?(?: ([0-9a-fxz]+))?$", re.I)


@dataclass(frozen=True)
class Simulator:
    """A way to run a device: compile its files with the test bench, run, read the events."""

    name: str
    language: str
    """``verilog``, ``vhdl``; empty: it needs no files."""
    tool: str = ""
    """Its record among the outside tools."""

    def available(self) -> str | None:
        """Return why it cannot be used, None where it can."""
        if not self.tool or tools.locate(self.tool):
            return None
        return f"{self.tool}: not on this machine ({tools.tools()[self.tool].how_to_get()})"

    def commands(self, place: str, files: Sequence[str], top: str, waves: bool) -> list[list[str]]:
        """Return the commands that compile; ``place`` is the program, ``waves``: it will write waves."""
        raise NotImplementedError

    def start(self, place: str, top: str, waves: str) -> list[str]:
        """Return the command that runs what was compiled and prints events; ``waves``: a file to write."""
        raise NotImplementedError

    def simulate(self, device: Device, vectors: Sequence[Vector], files: Files = None) -> Events:
        """Run the vectors through a device; ``files`` stand for the modules that it would be written as."""
        with tempfile.TemporaryDirectory(prefix="assay-simulate-") as folder:
            return read_events(self._run(device, vectors, files, Path(folder)), device.name, self.name)

    @contextmanager
    def traced(
        self, device: Device, vectors: Sequence[Vector], files: Files = None
    ) -> Iterator[Iterator[Sequence[Value]]]:
        """Run the vectors; give the registers and output pins of every clock, as ``own.columns`` has them."""
        names = [name for name, _ in own.columns(device)]
        with tempfile.TemporaryDirectory(prefix="assay-simulate-") as folder:
            wave = f"{device.name}.vcd"
            self._run(device, vectors, files, Path(folder), wave)
            with (Path(folder) / wave).open(encoding="utf-8", errors="replace") as lines:
                yield rows(lines, names)

    def _run(
        self, device: Device, vectors: Sequence[Vector], files: Files, folder: Path, wave: str = ""
    ) -> str:
        place = self._place()
        top = f"{device.name}_bench"
        design = files if files is not None else device.design.files(self.language)
        made = benches.files(device, vectors, [self.language])
        for file, text in [*design, *made]:
            (folder / file).write_text(text, encoding="utf-8")
        ending = benches.ENDINGS[self.language]
        sources = [file for file, _ in [*design, *made] if file.endswith(ending)]
        for command in self.commands(place, sources, top, bool(wave)):
            self.execute(command, folder, device.name, "refuses")
        return self.execute(self.start(place, top, wave), folder, device.name, "stops in").out

    def _place(self) -> str:
        place, record = tools.locate(self.tool), tools.tools()[self.tool]
        if not place:
            raise ToolError(
                "H501",
                f"the simulator `{self.name}` is not on this machine",
                notes=[f"what it is for: {record.purpose}"],
                help=record.how_to_get(),
            )
        return place

    def execute(
        self, command: list[str], folder: Path, design: str, verb: str, seconds: float = running.CHECK
    ) -> running.CompletedRun:
        """Run a command of the simulator; ``verb`` is what an error says that it does to the design."""
        code = "H502" if verb == "refuses" else "H503"
        try:
            done = running.run(command, seconds=seconds, cwd=folder)
        except running.OutOfTime as error:
            raise VerificationError(
                "H503",
                f"{self.name} does not come to the end of {design}",
                notes=[error.message],
                help=error.help,
            ) from None
        if done.code:
            words = (done.err + done.out).splitlines()
            raise VerificationError(code, f"{self.name} {verb} {design}", notes=words[:8])
        return done


class Icarus(Simulator):
    """Icarus Verilog."""

    def commands(self, place: str, files: Sequence[str], top: str, waves: bool) -> list[list[str]]:
        """Compile to a program of its virtual machine."""
        return [[place, "-g2005", "-o", "simulation", "-s", top, *files]]

    def start(self, place: str, top: str, waves: str) -> list[str]:
        """Run the virtual machine, which stands beside the compiler."""
        beside = Path(place).with_name("vvp")
        machine = str(beside) if beside.exists() else "vvp"
        return [machine, "-n", "simulation", "+events", *(["+wave"] if waves else [])]


class Verilator(Simulator):
    """Verilator: compiled to C++."""

    def commands(self, place: str, files: Sequence[str], top: str, waves: bool) -> list[list[str]]:
        """Compile to C++ and to a program; the test bench's delays need ``--timing``."""
        options = ["--binary", "--timing", "-Wno-fatal", "-Wno-lint", "-Wno-style", "-j", "2"]
        compiler = ["-CFLAGS", "-O1", "-MAKEFLAGS", "OPT_FAST=-O1 OPT_SLOW=-O0 OPT_GLOBAL=-O0"]
        options += ["--trace"] if waves else []
        return [[place, *options, *compiler, "--top-module", top, "-o", "simulation", *files]]

    def start(self, place: str, top: str, waves: str) -> list[str]:
        """Run the program."""
        return ["./obj_dir/simulation", "+events", *(["+wave"] if waves else [])]


class Ghdl(Simulator):
    """GHDL."""

    def commands(self, place: str, files: Sequence[str], top: str, waves: bool) -> list[list[str]]:
        """Analyse and elaborate."""
        return [[place, "-a", "--std=08", *files], [place, "-e", "--std=08", top]]

    def start(self, place: str, top: str, waves: str) -> list[str]:
        """Run; complaints of arithmetic packages about unset signals at the start are switched off."""
        options = ["-gevents=true", "--ieee-asserts=disable", *([f"--vcd={waves}"] if waves else [])]
        return [place, "-r", "--std=08", top, *options]


class OwnSimulator(Simulator):
    """The own simulator, which reads the design and no files."""

    def simulate(self, device: Device, vectors: Sequence[Vector], files: Files = None) -> Events:
        """Run the vectors through a device."""
        return own.simulate(device, vectors)

    @contextmanager
    def traced(
        self, device: Device, vectors: Sequence[Vector], files: Files = None
    ) -> Iterator[Iterator[Sequence[Value]]]:
        """Run the vectors; give the registers and output pins of every clock."""
        yield own.trace(device, vectors)


SIMULATORS: dict[str, Simulator] = {
    s.name: s
    for s in (
        OwnSimulator("own", ""),
        Verilator("verilator", "verilog", "verilator"),
        Icarus("icarus", "verilog", "iverilog"),
        Ghdl("ghdl", "vhdl", "ghdl"),
    )
}


def simulator(name: str) -> Simulator:
    """Return a simulator by its name; raises UsageError ``H507`` for an unknown one."""
    if name not in SIMULATORS:
        raise UsageError("H507", f"there is no simulator `{name}`", help=nearest(name, SIMULATORS))
    return SIMULATORS[name]


def modules_in(folder: Path, device: Device, simulator: Simulator) -> Files:
    """Return the modules of a folder that ``assay emit rtl`` wrote, as they are there now.

    Raises
    ------
    UsageError
        ``H511``: the simulator reads no files, or a module of the device is not in the folder.
    """
    if not simulator.language:
        raise UsageError(
            "H511",
            f"the simulator `{simulator.name}` reads no files",
            help="--simulator icarus, verilator or ghdl",
        )
    found = []
    for name, _ in device.design.files(simulator.language):
        try:
            found.append((name, (folder / name).read_text(encoding="utf-8")))
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError(
                "H511",
                f"{folder} does not hold the device {device.name}",
                notes=[f"{name}: {error.strerror if isinstance(error, OSError) else 'not a text'}"],
                help="`assay emit rtl` with the same options writes it",
            ) from None
    return found


def read_events(output: str, design: str, simulator: str) -> Events:
    """Read what a test bench prints with its events on.

    Raises
    ------
    VerificationError
        ``H504``: it does not say where it ends.
    """
    keys: dict[int, int] = {}
    blocks: dict[int, int] = {}
    results: dict[int, tuple[int, bytes]] = {}
    complaints: list[str] = []
    end = None
    for line in output.splitlines():
        event = _EVENT.match(line.strip())
        if event is None:
            if line.startswith("FAIL ") and "clock " in line:
                complaints.append(line.split(": ", 1)[1])
            continue
        kind, clock, vector = event[1].lower(), int(event[2]), int(event[3] or 0)
        if kind == "key":
            keys[vector] = clock
        elif kind == "block":
            blocks[vector] = clock
        elif kind == "result":
            results[vector] = (clock, _data(event[4] or ""))
        else:
            end = clock
    if end is None:
        raise VerificationError(
            "H504",
            f"the test bench of {design} does not come to its end in {simulator}",
            notes=output.splitlines()[-4:],
        )
    return Events(keys, blocks, results, end, tuple(complaints))


def _data(text: str) -> bytes:
    try:
        return bytes.fromhex(text)
    except ValueError:  # bits that are neither 0 nor 1
        return b""
