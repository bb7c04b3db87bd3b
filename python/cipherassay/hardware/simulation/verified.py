"""Which devices passed in which simulator: kept, with the hash of the Verilog that they were simulated as."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cipherassay import keeping, tools
from cipherassay.errors import AssayError
from cipherassay.hardware.rtl.build import WITH_INTERFACE, Device, key_versions
from cipherassay.hardware.rtl.hashes import verilog_hash
from cipherassay.hardware.simulation.checking import check
from cipherassay.hardware.simulation.events import Verdict
from cipherassay.hardware.simulation.simulators import Simulator
from cipherassay.hardware.simulation.vectors import vectors
from cipherassay.jobs import each

KIND = "simulations"
"""The kind of kept artefacts; a file per simulator."""
Record = dict[str, Any]


@dataclass(frozen=True)
class Task:
    """A device to be simulated."""

    cipher: str
    architecture: str
    key: str
    strategy: str

    @property
    def title(self) -> str:
        """The device for people."""
        return f"{self.cipher} {self.architecture} {self.key} {self.strategy}"

    def device(self) -> Device:
        """Build it, for both directions."""
        from cipherassay.ciphers import load
        from cipherassay.hardware.rtl.build import build

        return build(load(self.cipher), self.architecture, self.key, "both", self.strategy)


@dataclass(frozen=True)
class Outcome:
    """What became of a task: a record, or an error's text."""

    task: Task
    record: Record | None
    error: str = ""


def tasks(strategy: str, ciphers: Sequence[str]) -> list[Task]:
    """Return the architectures with an Interface of ciphers, for one key size and for all together."""
    from cipherassay.ciphers import load

    versions = {name: key_versions(load(name)) for name in ciphers}
    return [Task(c, a, k, strategy) for c in ciphers for a in WITH_INTERFACE for k in versions[c]]


def run(
    wanted: Sequence[Task], simulator: Simulator, every: int, watch: Callable[[Outcome], None]
) -> list[Outcome]:
    """Simulate devices side by side; each must pass every vector. A failure does not end the others.

    Parameters
    ----------
    watch : callable
        Called with each outcome as it comes, by one thread at a time.
    """
    watching = threading.Lock()

    def one(task: Task) -> Outcome:
        outcome = _one(task, simulator, every)
        with watching:
            watch(outcome)
        return outcome

    return each(one, wanted)


def _one(task: Task, simulator: Simulator, every: int) -> Outcome:
    try:
        device = task.device()
        verdict = check(device, vectors(device, every), simulator)
        verdict.demand()
    except AssayError as error:
        return Outcome(task, None, str(error))
    return Outcome(task, record(device, verdict, simulator, every))


def record(device: Device, verdict: Verdict, simulator: Simulator, every: int) -> Record:
    """Return what is kept of a device that passed, one for both directions."""
    return {
        "design": device.name, "cipher": device.cipher, "architecture": device.architecture,
        "key": device.key, "strategy": device.strategy.name, "verilog": verilog_hash(device),
        "every": every, "clocks": verdict.clocks,
        "vectors": {test: passed for test, (passed, _) in verdict.passed.items()},
        "version": tools.find(simulator.tool).version if simulator.tool else "",
    }  # fmt: skip


def kept(simulator: str) -> list[Record]:
    """Return the records that are kept of a simulator, by design and strategy."""
    found: dict[tuple[str, str], Record] = {}
    for path in reversed(keeping.candidates(KIND, f"{simulator}.json")):
        found |= {_key(one): one for one in read(path)}
    return [found[key] for key in sorted(found)]


def read(path: Path) -> list[Record]:
    """Return the records of a file; none if it follows another version of the schema.

    Raises
    ------
    DescriptionError
        ``A001``: the file is damaged.
    """
    document = keeping.read(KIND, path)
    records = document.get("records") if document else []
    needed = {"design", "cipher", "architecture", "key", "strategy", "verilog"}
    if not isinstance(records, list) or not all(isinstance(r, dict) and needed <= r.keys() for r in records):
        raise keeping.damaged(KIND, path, "it does not hold records of simulated devices")
    return records


def keep(simulator: str, new: Record) -> Path:
    """Keep a record, in the place of one of the same device; return the file."""
    return keeping.update(KIND, f"{simulator}.json", lambda path: text([*(read(path) if path else ()), new]))


def text(records: Sequence[Record]) -> str:
    """Return the text of a file of records; of several records of one device the last counts."""
    found = {_key(one): one for one in records}
    lines = ",\n".join(json.dumps(found[key]) for key in sorted(found))
    return f'{{"schema": {keeping.SCHEMAS[KIND]}, "records": [\n{lines}\n]}}\n'


def _key(record: Record) -> tuple[str, str]:
    return record["design"], record["strategy"]


def stale(simulator: str) -> Iterator[tuple[Record, str]]:
    """Yield the kept records whose device is another by now, each with the reason."""
    for one in kept(simulator):
        if why := why_stale(one):
            yield one, why


def why_stale(record: Record) -> str:
    """Return why a record does not hold of the device that the generator writes now; empty if it does."""
    try:
        task = Task(*(record[name] for name in ("cipher", "architecture", "key", "strategy")))
        now = verilog_hash(task.device())
    except AssayError as error:
        return f"it cannot be built any more: {error.code}"
    was = record["verilog"]
    return "" if now == was else f"its Verilog was {was[:12]} and is {now[:12]}"
