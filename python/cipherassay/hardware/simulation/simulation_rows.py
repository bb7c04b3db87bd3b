"""A simulation's verdict as rows: clock counts that it confirmed, vectors that passed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from cipherassay.hardware.rtl.build import Device
from cipherassay.hardware.rtl.key_modes import key_mode
from cipherassay.hardware.simulation.events import Verdict
from cipherassay.results import Row


def rows(device: Device, verdict: Verdict, command: str) -> Iterator[Row]:
    """Yield a row per clock count that the simulation confirmed, and how many vectors passed."""
    common: dict[str, Any] = {
        "cipher": device.cipher, "variant": device.key or None, "strategy": device.strategy.name,
        "level": "hardware", "architecture": device.architecture, "key_mode": key_mode(device.key),
        "configuration": f"{device.architecture}, {device.direction}", "basis": "simulated",
        "tools": verdict.simulator, "command": command,
    }  # fmt: skip
    for count in verdict.confirmed:
        if not count.holds:
            continue
        operation = device.operation(count.decrypt)
        common["key_bits"] = count.key_bits or None
        value = float(count.planned)
        if count.metric == "key_setup":
            yield Row(**common, operation=f"key_setup_{operation}", metric="cycles", value=value)
        elif count.metric == "latency":
            yield Row(**common, operation=operation, metric="latency_cycles", value=value)
        else:
            yield Row(**common, operation=operation, metric="cycles", value=value / count.blocks)
    common["key_bits"] = None
    passed = sum(good for good, _ in verdict.passed.values())
    yield Row(**common, metric="known_answers_passed", value=float(passed))
    yield Row(**common, metric="known_answers_failed", value=float(verdict.vectors - passed))
