"""A device checked with a simulator by its vectors; where it fails, the first wrong register."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import islice

from cipherassay.hardware.rtl.build import Device
from cipherassay.hardware.simulation import own
from cipherassay.hardware.simulation.events import Events, Verdict, verdict_of
from cipherassay.hardware.simulation.following import first_wrong_register
from cipherassay.hardware.simulation.simulators import Files, Simulator
from cipherassay.hardware.simulation.traces import Difference, first_difference
from cipherassay.hardware.simulation.vectors import Vector

_NAMED = 3
"""Registers that a message names where several differ in one clock."""


def check(device: Device, vectors: Sequence[Vector], simulator: Simulator, files: Files = None) -> Verdict:
    """Simulate a device and check it; a verdict of failure names the first register that differs.

    ``files`` stand for the modules that the device would be written as.
    """
    events = simulator.simulate(device, vectors, files)
    verdict = verdict_of(device, vectors, events, simulator.name)
    if not verdict.failures:
        return verdict
    return replace(verdict, first=tuple(_first_wrong(device, vectors, simulator, files, events, verdict)))


def _first_wrong(
    device: Device,
    vectors: Sequence[Vector],
    simulator: Simulator,
    files: Files,
    events: Events,
    verdict: Verdict,
) -> list[str]:
    """Compare with the own simulator; where both agree, the own trace with the cipher's steps."""
    number = verdict.failures[0].number
    tests = vectors[: number + 1]
    names = own.columns(device)
    if simulator.language:
        found = _against_own(device, tests, simulator, files, events, number)
        if found:
            return [f"first difference from the own simulator, {d}" for d in found[:_NAMED]]
    end = events.results[number][0] if number in events.results else events.clocks
    trace = list(islice(own.trace(device, vectors), end + 1))
    wrong = first_wrong_register(device, vectors, number, events, names, trace)
    return [f"first difference from the cipher, {wrong}"] if wrong is not None else []


def _against_own(
    device: Device, tests: Sequence[Vector], simulator: Simulator, files: Files, events: Events, number: int
) -> list[Difference]:
    """Compare the traffic up to the failing vector twice: values that are known, then those that must be."""
    names = own.columns(device)
    known = {"": events.blocks.get(number, 0) + 1}
    if device.strategy.keys == "stored":
        since = max((c for n, c in events.keys.items() if n <= number), default=0) + 1
        known |= {device.block("key_schedule", copy): since for copy in range(device.copies)}
    for known_from in (None, known):
        with simulator.traced(device, tests, files) as found:
            different, _ = first_difference(names, found, own.trace(device, tests), known_from)
        if different:
            return different
    return []


def agreement(
    device: Device, vectors: Sequence[Vector], simulator: Simulator, other: Simulator
) -> tuple[list[Difference], int]:
    """Return what differs first in any register or output pin, and the clocks compared."""
    with simulator.traced(device, vectors) as found, other.traced(device, vectors) as expected:
        return first_difference(own.columns(device), found, expected)
