"""Devices, simulated as Verilog and as VHDL with known answers through their pins."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from cipherassay.coverage.level import Level, of_main_operation
from cipherassay.jobs import Job, Producer, Rows

if TYPE_CHECKING:
    from cipherassay.jobs import Executor
    from cipherassay.lang.cipher import Cipher

ORDER = 6
SIMULATORS = {"verilog": "icarus", "vhdl": "ghdl"}
BOUNDS = frozenset({"H318"})
"""What multiplexers of words that data choose would take, and what they may."""
EVERY, EVERY_QUICK = 4, 64
"""Of the vectors each so many-th."""
CLOCKS_QUICK = 2000
"""Planned clocks that quick vectors may take, beyond those that show the counts."""
PRODUCER = Producer(
    "simulated device", 1,
    ("cipherassay.hardware.simulation.checking", "cipherassay.hardware.simulation.simulation_rows"),
)  # fmt: skip


def levels() -> Sequence[Level]:
    """Return a level for each architecture and language."""
    from cipherassay.hardware.rtl.build import WITH_INTERFACE

    def level(architecture: str, language: str) -> Level:
        title = f"{architecture}, {language}, clocks a block"
        jobs, number = partial(_jobs, architecture, language), of_main_operation("cycles")
        return Level(f"{architecture}-{language}", "devices", title, jobs, number, BOUNDS)

    return [level(architecture, language) for architecture in WITH_INTERFACE for language in SIMULATORS]


def _jobs(
    architecture: str, language: str, cipher: Cipher, quick: bool, place: Executor
) -> Sequence[Job[Rows]]:
    every = EVERY_QUICK if quick else EVERY
    given = (cipher, architecture, SIMULATORS[language], every)
    name = f"hardware/simulated/{cipher.slug}-{architecture}-{language}-{every}"
    title = f"{cipher.name}, {architecture}, {language}"
    return [Job(name, title, partial(_rows, *given), inputs=partial(_inputs, *given), memory_mb=400)]


def _inputs(cipher: Cipher, architecture: str, simulator: str, every: int) -> dict[str, Any]:
    from cipherassay import tools
    from cipherassay.hardware.results.design_hashes import design_hash
    from cipherassay.hardware.rtl.build import DEFAULT
    from cipherassay.hardware.simulation import simulators
    from cipherassay.inputs import known_answers_digest

    tool = simulators.simulator(simulator).tool
    tools.require(tool)
    return PRODUCER.inputs(
        verilog=design_hash(cipher, architecture, "", "both", DEFAULT), simulator=simulator, every=every,
        version=tools.find(tool).version, known_answers=known_answers_digest(cipher, ""),
    )  # fmt: skip


def _rows(cipher: Cipher, architecture: str, simulator: str, every: int) -> Rows:
    from cipherassay.ciphers import argument
    from cipherassay.hardware.rtl.build import build
    from cipherassay.hardware.simulation import simulators
    from cipherassay.hardware.simulation.checking import check
    from cipherassay.hardware.simulation.simulation_rows import rows
    from cipherassay.hardware.simulation.vectors import vectors, within

    device = build(cipher, architecture)
    tests = vectors(device, every)
    if every == EVERY_QUICK:
        tests = within(device, tests, CLOCKS_QUICK)
    verdict = check(device, tests, simulators.simulator(simulator))
    verdict.demand()
    command = (
        f"assay simulate {argument(cipher)} --rtl --architecture {architecture} --simulator {simulator} "
        f"--every {every}"
    )
    return Rows(list(rows(device, verdict, command)))
