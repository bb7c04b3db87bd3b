"""`assay measure`: the cycles of the generated code on this machine, and their distribution over inputs."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cipherassay.cli.measure.best import choose_missing, measure_best
from cipherassay.cli.measure.java import java_target, measure_java, show_java
from cipherassay.cli.measure.small import count_calls, measure_budgeted, measure_small
from cipherassay.console.kernel import refuse_options
from cipherassay.console.output import Json, show_table, write_json
from cipherassay.console.progress import job_progress, say
from cipherassay.console.small import Ram, RamCalls, Tables, refuse_tables
from cipherassay.errors import UsageError

if TYPE_CHECKING:
    from cipherassay.results import Row

BEST, SECONDS = "best", 120.0
DEFAULT_INPUTS, FULL_INPUTS = 1000, 100_000
DEFAULT_REPEATS = 30
JAVA_INPUTS = 30
"""Inputs of the C that stands beside Java, which has none of its own."""


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("measure")(measure)


def measure(
    ciphers: Annotated[
        list[str] | None, typer.Argument(help="Ciphers; all without it.", show_default=False)
    ] = None,
    key_bits: Annotated[list[int] | None, typer.Option(help="Key size; several times for several.")] = None,
    target: Annotated[
        str,
        typer.Option(
            "--target",
            "-p",
            "--processor",
            help="`native`: the C; `java-jit`, `java-interpreted`: Java beside the C; a small processor "
            "(`avr`, …): code for it, in its simulator.",
        ),
    ] = "native",
    strategy: Annotated[
        str,
        typer.Option(
            help="Strategy of the code; else the one kept as the fastest. `best`: try all that apply, keep "
            "the fastest; so does the C of a cipher for which none is kept."
        ),
    ] = "",
    seconds: Annotated[
        float | None, typer.Option(help=f"To try strategies: time for each cipher [{SECONDS:g}].", min=1.0)
    ] = None,
    variant: Annotated[str, typer.Option(help="The cipher's variant, where it has several.")] = "",
    inputs: Annotated[int, typer.Option(help="Random keys or blocks per operation.")] = DEFAULT_INPUTS,
    repeats: Annotated[
        int, typer.Option(help="Timed runs per input, each of many calls; the least counts.")
    ] = DEFAULT_REPEATS,
    full: Annotated[bool, typer.Option("--full", help=f"{FULL_INPUTS:,} inputs.")] = False,
    seed: Annotated[int, typer.Option(help="Seed of the random inputs.")] = 1,
    accept_unstable: Annotated[
        bool, typer.Option("--accept-unstable", help="Measure on an unsteady machine; rows are marked.")
    ] = False,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Measure also what is kept from an earlier run.")
    ] = False,
    unrolled: Annotated[
        bool, typer.Option("--straight", help="For small processors: rounds without loops.")
    ] = False,
    ram: Ram = None,
    ram_calls: RamCalls = False,
    tables: Tables = "",
    json: Json = False,
) -> None:
    """Measure key setup, encryption and decryption on this machine.

    Each random input is run many times and its least time counts; those of all inputs are the distribution.
    What was measured before under the same conditions is not measured again. Ctrl-C keeps what is finished.
    """
    from cipherassay import strategies, tools
    from cipherassay.embedded import processors
    from cipherassay.jobs import RowCache, run
    from cipherassay.native import measuring
    from cipherassay.native.measurement import Settings
    from cipherassay.native.selection import select
    from cipherassay.native.session import Tolerance
    from cipherassay.results import Store

    timed = {
        "inputs": inputs != DEFAULT_INPUTS, "repeats": repeats != DEFAULT_REPEATS, "full": full,
        "seed": seed != 1, "fresh": fresh,
    }  # fmt: skip
    if target in processors.names():
        of_machine = {"strategy": strategy, **timed, "accept-unstable": accept_unstable, "seconds": seconds}
        refuse_options(target, of_machine, "cycles there are counted in a simulator, not measured")
    else:
        refuse_options(target, {"straight": unrolled}, "it is for small processors")
    if ram_calls:
        count_calls(select(ciphers or [], key_bits or [], "", variant), target, json=json)
        return
    if ram is not None:
        refuse_tables(tables, "code within a budget of RAM")
        measure_budgeted(select(ciphers or [], key_bits or [], "", variant), target, ram, json=json)
        return
    if target in processors.names():
        jobs = select(ciphers or [], key_bits or [], "", variant)
        measure_small(jobs, target, unrolled=unrolled, tables=tables, json=json)
        return
    refuse_tables(tables, f"`{target}`")
    if strategy == BEST:
        alone = {**timed, "key-bits": key_bits, "variant": variant}
        refuse_options(f"--strategy {BEST}", alone, "it measures as it needs to, with keys of the first size")
        refuse_options(target, {f"strategy {BEST}": target != "native"}, "strategies are tried as C")
        tools.require_packages(*tools.MEASURING)
        chosen = [one.cipher for one in select(ciphers or [], [], "")]
        measure_best(chosen, seconds or SECONDS, accept=accept_unstable, json=json)
        return
    fixed = {f"--strategy {strategy}": strategy, f"--variant {variant}": variant, target: target != "native"}
    for name, given in fixed.items():
        refuse_options(name, {"seconds": given and seconds}, "it is for trying strategies, as C")
    if inputs < 1 or repeats < 1 or seed < 0:
        raise UsageError("N050", "--inputs and --repeats must be at least 1, --seed at least 0")
    settings = Settings(FULL_INPUTS if full else inputs, repeats, seed)
    java = None if target == "native" else java_target(target)
    jobs = select(ciphers or [], key_bits or [], strategy, variant, target)
    if java is not None:
        rows = measure_java(
            jobs, java, settings=Settings(min(inputs, JAVA_INPUTS), repeats, seed),
            accept=accept_unstable, quiet=json,
        )  # fmt: skip
        if json:
            write_json({"rows": [row.as_dict() for row in rows]})
        else:
            show_java(rows)
        return
    tools.require_packages(*tools.MEASURING)
    if not strategy and not variant:
        choose_missing([one.cipher for one in jobs], seconds or SECONDS, accept=accept_unstable, json=json)
        jobs = [replace(one, strategy=strategies.preferred(one.cipher)) for one in jobs]
    with job_progress("measure", quiet=json) as bar:
        listed = measuring.jobs(jobs, settings, Tolerance.of(accept_unstable))
        found = run(listed, RowCache(Store()), fresh=fresh, progress=bar).results
    rows = [row for one in found.values() for row in one.rows]
    if json:
        write_json({"rows": [row.as_dict() for row in rows]})
    else:
        _show(rows)


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
