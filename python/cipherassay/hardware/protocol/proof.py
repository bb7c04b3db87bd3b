"""Proofs of a device's protocol by Yosys and ABC: for all clocks, all inputs and all states before reset."""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from cipherassay import tools
from cipherassay.errors import VerificationError
from cipherassay.hardware.protocol.assertions import Assertion, assertions, checker
from cipherassay.hardware.protocol.counterexample import Clock, answered, read, table
from cipherassay.hardware.rtl.build import Device
from cipherassay.hardware.synthesis.job_results import results
from cipherassay.hardware.tools import cached, yosys
from cipherassay.hardware.tools.process import failed, run
from cipherassay.jobs import SILENT, Executor, Progress
from cipherassay.tools import running

SECONDS = 60.0
"""The time for the proof of one assertion by default."""
CONTROL = ("interface", "controller", "distributor")
"""Blocks on which the protocol depends; the others hold data."""
_PROOF = "strash; scorr; pdr -y"
_PROVED = "Property proved."
_FRAME = re.compile(r"Reached timeout \(\d+ seconds\) in frame (\d+)")
_FOUND = re.compile(r"was asserted in frame (\d+)")


@dataclass(frozen=True)
class ProtocolProof:
    """What is known of an assertion: proved, contradicted by a trace, or neither within the time."""

    label: str
    text: str
    proved: bool
    clocks: int
    """Where it is not proved: clocks from power-up for which it holds."""
    trace: tuple[Clock, ...] = ()

    @property
    def verdict(self) -> str:
        """What is known, in words."""
        if self.proved:
            return "proved"
        if self.trace:
            return f"fails in clock {self.clocks}"
        return f"no fault within {self.clocks} clocks"


def script(device: Device, sources: Sequence[str], checks: str) -> list[str]:
    """Return the Yosys commands that write an AIGER file for each assertion of a device.

    The functions of the blocks that hold data give anything: their values never decide what the protocol
    does, and a proof for anything holds for what they give.

    Parameters
    ----------
    sources : sequence of str
        The files of the device.
    checks : str
        The file with its assertions.
    """
    data = [f"{device.name}_{block}/t:{device.name}_*" for block in _data_blocks(device)]
    lines = [
        f"read_verilog {' '.join(sources)}",
        f"read_verilog -formal -sv {checks}",
        f"hierarchy -check -top {device.name}_checked",
        "proc",
        *([f"cutpoint {' '.join(data)}"] if data else []),
        *["flatten", "delete -output o:*", "opt_clean"],
        *(["cutpoint t:$dlatch"] if device.has_latches else []),
        *["async2sync", "dffunmap", "memory_map", "chformal -early", "opt -full"],
        *["setundef -undriven -anyseq", "techmap", "opt -fast", "dffunmap", "abc -g AND -fast", "opt_clean"],
        *["aigmap", "opt_clean", "design -save all"],
    ]
    for one in assertions(device):
        name = f"{device.name}_{one.label}"
        lines += [
            f"delete t:$assert c:*{one.label}* %d",
            "opt_clean",
            f"write_aiger -I -B -zinit -map {name}.map {name}.aig",
            "design -load all",
        ]
    return lines


def prover(name: str, seconds: float) -> str:
    """Return the ABC commands that prove what an AIGER file holds."""
    return f"read_aiger {name}.aig; {_PROOF} -T {max(1, round(seconds))}"


def emitted(device: Device) -> list[tuple[str, str]]:
    """Return names and texts of a device's assertions and of the commands for Yosys and ABC to prove them."""
    name, text = checker(device)
    reads = script(device, list(device.verilog), name)
    proofs = [prover(f"{device.name}_{one.label}", SECONDS) for one in assertions(device)]
    return [
        (name, text),
        (f"{device.name}_protocol.ys", "\n".join(reads) + "\n"),
        (f"{device.name}_protocol.abc", "\n".join(proofs) + "\n"),
    ]


def prove(
    device: Device,
    files: Mapping[str, str],
    executor: Executor,
    *,
    seconds: float = SECONDS,
    watch: Progress = SILENT,
) -> list[ProtocolProof]:
    """Return what is known of each assertion of a device's protocol.

    Parameters
    ----------
    files : mapping
        The texts of its Verilog files by name: as emitted, or changed since.
    seconds : float, > 0
        For each assertion.

    Raises
    ------
    ToolError
        ``T002``: Yosys or ABC is not here; ``H701``, ``T004``: one failed or did not end.
    """
    abc = tools.require("abc")
    version = f"{yosys.version()}; {tools.find('abc').version}"
    problems = _problems(device, files)
    known = assertions(device)
    jobs = [Proof(one, problems[one.label], seconds, abc, version) for one in known]
    found = results(jobs, executor, watch)
    return [_proof(one, json.loads(text)) for one, text in zip(known, found, strict=True)]


def demand(device: Device, files: Mapping[str, str], proofs: Sequence[ProtocolProof]) -> None:
    """Raise VerificationError ``H761`` if an assertion does not hold, with the clocks that contradict it."""
    wrong = [one for one in proofs if one.trace]
    if wrong:
        first = wrong[0]
        pins = [("reset", "input", 1), *device.pins]
        trace = answered(first.trace, dict(files), device.name, pins)
        raise VerificationError(
            "H761",
            f"`{device.name}` breaks its protocol: {', '.join(f'`{one.label}`' for one in wrong)}",
            notes=[f"{first.label}: {first.text}", *table(trace, pins)],
            help="the last of these clocks contradicts it",
        )


@dataclass(frozen=True)
class Problem:
    """An assertion with the device as an and-inverter graph in AIGER, and the names of its inputs."""

    aiger: bytes
    names: str


@dataclass(frozen=True)
class Proof:
    """Prove one assertion, or find a trace that contradicts it."""

    assertion: Assertion
    problem: Problem
    seconds: float
    abc: str
    version: str

    @cached_property
    def key(self) -> str:
        """The name under which its result is kept."""
        return cached.key(
            kind="protocol", problem=cached.digest(self.problem.aiger.hex() + self.problem.names),
            proof=_PROOF, seconds=self.seconds, tools=self.version,
        )  # fmt: skip

    @property
    def title(self) -> str:
        """What it does."""
        return f"proving {self.assertion.label}"

    @property
    def memory_mb(self) -> float:
        """An estimate by the size of the graph."""
        return 60.0 + len(self.problem.aiger) / 1e4

    def run(self) -> str:
        """Return whether it is proved, for how many clocks it holds, and the trace, as JSON."""
        with tempfile.TemporaryDirectory() as place:
            folder, name = Path(place), "problem"
            (folder / f"{name}.aig").write_bytes(self.problem.aiger)
            commands = prover(name, self.seconds) + f"; write_cex -n {name}.cex"
            doing = f"proving {self.assertion.label}"
            # Besides the proof itself, the graph is reduced.
            limit = self.seconds + running.CHECK
            printed = run([self.abc, "-c", commands], folder, doing=doing, seconds=limit)
            if _PROVED in printed:
                return json.dumps({"proved": True, "clocks": 0, "trace": []})
            if found := _FOUND.search(printed):
                text = (folder / f"{name}.cex").read_text(encoding="utf-8")
                trace = read(text, self.problem.names)
                return json.dumps({"proved": False, "clocks": int(found[1]), "trace": trace})
            if found := _FRAME.search(printed):
                return json.dumps({"proved": False, "clocks": int(found[1]), "trace": []})
            raise failed("abc", doing, printed, "it gave no verdict")


def _proof(one: Assertion, found: Mapping[str, Any]) -> ProtocolProof:
    return ProtocolProof(one.label, one.text, found["proved"], found["clocks"], tuple(found["trace"]))


def _problems(device: Device, files: Mapping[str, str]) -> dict[str, Problem]:
    name, text = checker(device)
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        for file, source in {**files, name: text}.items():
            (folder / file).write_text(source, encoding="utf-8")
        yosys.script(script(device, list(files), name), folder, doing=f"reading {device.name}")
        return {
            one.label: Problem(
                (folder / f"{device.name}_{one.label}.aig").read_bytes(),
                "\n".join(_pins((folder / f"{device.name}_{one.label}.map").read_text(encoding="utf-8"))),
            )
            for one in assertions(device)
        }


def _pins(names: str) -> Iterator[str]:
    """Return the lines about inputs that are pins: the others have names that Yosys makes up."""
    for line in names.splitlines():
        if line.startswith("input ") and "$" not in line:
            yield line


def _data_blocks(device: Device) -> list[str]:
    return [block for block in device.registers if not block.startswith(CONTROL)]
