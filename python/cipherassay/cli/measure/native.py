"""`assay measure` on this machine: the C's cycles, and their distribution over inputs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from cipherassay.cli.measure import best
from cipherassay.cli.measure.asked import FULL_INPUTS, Asked, Measured, run_jobs
from cipherassay.console.kernel import refuse_options
from cipherassay.console.output import show_table
from cipherassay.console.progress import say
from cipherassay.errors import UsageError

if TYPE_CHECKING:
    from cipherassay.native.measurement import Settings
    from cipherassay.results import Row

NAME, BEST, SECONDS = "native", "best", 120.0
OF_CODE = "it is for modelled processors: -p NAME, see `assay list processors`"


def measure(name: str, asked: Asked) -> Measured:
    """Measure key setup, encryption and decryption on this machine."""
    from cipherassay import strategies, tools
    from cipherassay.native import measuring
    from cipherassay.native.selection import select
    from cipherassay.native.session import Tolerance

    timing, accept = asked.timing, asked.timing.accept_unstable
    refuse_options(name, asked.of_code(), OF_CODE)
    asked.refuse_small(name)
    fixed = {"strategy": asked.strategy, "variant": asked.variant}
    refuse_seconds({f"--{option} {value}": value for option, value in fixed.items()}, asked)
    settings = settings_of(asked)
    jobs = select(asked.ciphers, asked.key_bits, asked.strategy, asked.variant, name)
    tools.require_packages(*tools.MEASURING)
    if not asked.strategy and not asked.variant:
        seconds = timing.seconds or SECONDS
        best.choose_missing([one.cipher for one in jobs], seconds, accept=accept, json=asked.json)
        jobs = [replace(one, strategy=strategies.preferred(one.cipher)) for one in jobs]
    found = run_jobs(measuring.jobs(jobs, settings, Tolerance.of(accept)), asked).results
    rows = [row for one in found.values() for row in one.rows]
    return Measured(rows, lambda: _show(rows))


def measure_best(names: Sequence[str], asked: Asked) -> None:
    """Try the strategies of each cipher on this machine and keep the fastest."""
    from cipherassay import tools
    from cipherassay.native.selection import select

    timing = asked.timing.given()
    accept, seconds = bool(timing.pop("accept-unstable", False)), timing.pop("seconds", SECONDS)
    alone = {**timing, "fresh": asked.fresh, "key-bits": asked.key_bits, "variant": asked.variant}
    refuse_options(f"--strategy {BEST}", alone, "it measures as it needs to, with keys of the first size")
    for name in names:
        refuse_options(name, {f"strategy {BEST}": name != NAME}, "strategies are tried as C")
    refuse_options(NAME, asked.of_code(), OF_CODE)
    asked.refuse_small(NAME)
    tools.require_packages(*tools.MEASURING)
    chosen = [one.cipher for one in select(asked.ciphers, [], "")]
    best.measure_best(chosen, seconds, accept=accept, json=asked.json)


def settings_of(asked: Asked) -> Settings:
    """Return how often is measured; raises UsageError ``N050`` for numbers that cannot be."""
    from cipherassay.native.measurement import Settings

    timing = asked.timing
    if timing.inputs < 1 or timing.repeats < 1 or timing.seed < 0:
        raise UsageError("N050", "--inputs and --repeats must be at least 1, --seed at least 0")
    return Settings(FULL_INPUTS if timing.full else timing.inputs, timing.repeats, timing.seed)


def refuse_seconds(fixed: dict[str, Any], asked: Asked) -> None:
    """Refuse time for trying strategies where something of ``fixed`` leaves nothing to try."""
    for name, given in fixed.items():
        refuse_options(name, {"seconds": given and asked.timing.seconds}, "it is for trying strategies, as C")


_COLUMNS = {
    "cycles": "cycles",
    "cycles_min": "min",
    "cycles_average": "average",
    "cycles_mode": "mode",
    "cycles_max": "max",
    "cycles_sigma": "σ",
    "normality_p": "Gaussian, p",
}


def _show(rows: list[Row]) -> None:
    lines: dict[tuple[Any, ...], dict[str, float]] = {}
    unstable = set()
    for row in rows:
        key = (row.cipher, row.variant or None, row.operation, row.key_bits, row.strategy)
        lines.setdefault(key, {})[row.metric] = row.value
        if not row.stable:
            unstable.add(key)
    columns = ["cipher", "variant", "operation", "key", "strategy", *_COLUMNS.values(), "stable"]
    body = [
        [
            *_words(key),
            *(_cell(metric, values.get(metric)) for metric in _COLUMNS),
            "no" if key in unstable else "yes",
        ]
        for key, values in lines.items()
    ]
    if not any(key[1] for key in lines):
        columns.remove("variant")
        for line in body:
            del line[1]
    show_table(columns, body, title=rows[0].target or "" if rows else "")
    if rows:
        say(f"cycles of one call, {rows[0].configuration}; cycles: blocks chained, the median of the inputs")


def _words(key: tuple[Any, ...]) -> list[Any]:
    return [part.replace("_", " ") if isinstance(part, str) else part for part in key]


def _cell(metric: str, value: float | None) -> float | str | None:
    if metric == "normality_p" and value is not None:
        return "< 0.001" if value < 0.001 else f"{value:.3f}"
    return None if value is None else round(value, 1) if value >= 1 else round(value, 2)
