"""Which devices passed in which simulator: kept, with the hash of the Verilog that they were simulated as."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cipherassay import tools
from cipherassay.errors import AssayError
from cipherassay.hardware.build import ARCHITECTURES, Device
from cipherassay.hardware.checking import check
from cipherassay.hardware.documents import design_hash
from cipherassay.hardware.events import Verdict
from cipherassay.hardware.simulators import Simulator
from cipherassay.hardware.vectors import vectors

FOLDER = Path(__file__).with_name("verified")
KEYS = ("128", "3in1")
"""The key versions of the paper."""
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
        from cipherassay.hardware.build import build

        return build(load(self.cipher), self.architecture, self.key, "both", self.strategy)


@dataclass(frozen=True)
class Outcome:
    """What became of a task: a record, or an error's text."""

    task: Task
    record: Record | None
    error: str = ""


def tasks(strategy: str, ciphers: Sequence[str]) -> list[Task]:
    """Return both architectures and key versions of ciphers."""
    return [Task(c, a, k, strategy) for c in ciphers for a in ARCHITECTURES for k in KEYS]


def run(
    wanted: Sequence[Task], simulator: Simulator, every: int, jobs: int, watch: Callable[[Outcome], None]
) -> list[Outcome]:
    """Simulate devices side by side; each must pass every vector. A failure does not end the others."""
    with ThreadPoolExecutor(jobs) as pool:
        futures = [pool.submit(_one, task, simulator, every) for task in wanted]
        for future in as_completed(futures):
            watch(future.result())
    return [future.result() for future in futures]


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
        "key": device.key, "strategy": device.strategy.name, "verilog": design_hash(device),
        "every": every, "clocks": verdict.clocks,
        "vectors": {test: passed for test, (passed, _) in verdict.passed.items()},
        "version": tools.find(simulator.tool).version if simulator.tool else "",
    }  # fmt: skip


def path(simulator: str, folder: Path | None = None) -> Path:
    """Return the file of a simulator's records."""
    return (folder or FOLDER) / f"{simulator}.json"


def kept(simulator: str, folder: Path | None = None) -> list[Record]:
    """Return the records that are kept of a simulator, by design and strategy."""
    place = path(simulator, folder)
    records: list[Record] = json.loads(place.read_text(encoding="utf-8")) if place.exists() else []
    return records


def text(known: Sequence[Record], new: Sequence[Record]) -> str:
    """Return the text of known records with new ones in the place of those of the same device."""
    found = {(one["design"], one["strategy"]): one for one in [*known, *new]}
    lines = ",\n".join(json.dumps(found[key]) for key in sorted(found))
    return f"[\n{lines}\n]\n"


def stale(simulator: str, folder: Path | None = None) -> Iterator[tuple[Record, str]]:
    """Yield the kept records whose device is another by now, each with the reason."""
    for one in kept(simulator, folder):
        names = ("cipher", "architecture", "key", "strategy")
        try:
            now = design_hash(Task(*(one[name] for name in names)).device())
        except AssayError as error:
            yield one, f"it cannot be built any more: {error.code}"
            continue
        if now != one["verilog"]:
            yield one, f"its Verilog was {one['verilog'][:12]} and is {now[:12]}"
