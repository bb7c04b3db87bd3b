"""`assay measure`: the cycles of the generated code on this machine, and their distribution over inputs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cipherassay.cli._common import Json, progress, say, show_table, write_json
from cipherassay.cli._emit_small import Tables, refuse_tables
from cipherassay.cli._measure_java import java_target, measure_java, show_java
from cipherassay.cli._measure_small import measure_small
from cipherassay.cli._ram import Ram, RamCalls, count_calls, measure_budgeted
from cipherassay.errors import UsageError

if TYPE_CHECKING:
    from cipherassay.ciphers import Cipher
    from cipherassay.native.compiler import Compiler
    from cipherassay.native.generated import GeneratedCode
    from cipherassay.native.harness import Operation
    from cipherassay.native.loaded import LoadedCipher
    from cipherassay.native.measurement import Settings
    from cipherassay.native.session import Session
    from cipherassay.results import Row, Store

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
            help="`native`: the C; `java-jit`, `java-interpreted`: Java beside the C; a small processor "
            "(`avr`, …): code for it, in its simulator.",
        ),
    ] = "native",
    strategy: Annotated[str, typer.Option(help="Strategy of the code; else the cipher's own.")] = "",
    variant: Annotated[str, typer.Option(help="The cipher's variant, for example `round-1` for MARS.")] = "",
    inputs: Annotated[int, typer.Option(help="Random keys or blocks per operation.")] = DEFAULT_INPUTS,
    repeats: Annotated[
        int, typer.Option(help="Timed runs per input, each of many calls; the least counts.")
    ] = DEFAULT_REPEATS,
    full: Annotated[bool, typer.Option("--full", help=f"{FULL_INPUTS:,} inputs, as the HP paper.")] = False,
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
    """Measure key set-up, encryption and decryption on this machine.

    Each random input is run many times and its least time counts; those of all inputs are the distribution.
    What was measured before under the same conditions is not measured again. Ctrl-C keeps what is finished.
    """
    from cipherassay.embedded import processors
    from cipherassay.native.measurement import Settings

    if ram_calls:
        count_calls(plan(ciphers or [], key_bits or [], "", variant), target, json=json)
        return
    if ram is not None:
        refuse_tables(tables, "code within a budget of RAM")
        measure_budgeted(plan(ciphers or [], key_bits or [], "", variant), target, ram, json=json)
        return
    if target in processors.names():
        jobs = plan(ciphers or [], key_bits or [], "", variant)
        measure_small(jobs, target, unrolled=unrolled, tables=tables, json=json)
        return
    refuse_tables(tables, f"`{target}`")
    if inputs < 1 or repeats < 1 or seed < 0:
        raise UsageError("N050", "--inputs and --repeats must be at least 1, --seed at least 0")
    settings = Settings(FULL_INPUTS if full else inputs, repeats, seed)
    java = None if target == "native" else java_target(target)
    jobs = plan(ciphers or [], key_bits or [], strategy, variant, target)
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
    rows = run_jobs(jobs, settings, accept_unstable=accept_unstable, fresh=fresh, quiet=json)
    if json:
        write_json({"rows": [row.as_dict() for row in rows]})
    else:
        _show(rows)


@dataclass(frozen=True)
class Job:
    """One cipher's code and the key sizes to measure."""

    cipher: Cipher
    strategy: str
    variant: str
    key_bits: tuple[int, ...]


def plan(
    names: list[str], key_bits: list[int], strategy: str = "", variant: str = "", target: str = "native"
) -> list[Job]:
    """Return what is to be measured, in order.

    Raises
    ------
    UsageError
        ``N051``: a cipher has none of the key sizes asked for; and those of `cipherassay.ciphers.load`.
    """
    from cipherassay import ciphers

    jobs = []
    for name in names or ciphers.names():
        cipher = ciphers.load(name)
        wrong = sorted(set(key_bits) - set(cipher.key_bits))
        if wrong:
            known = ", ".join(map(str, cipher.key_bits))
            raise UsageError(
                "N051", f"{cipher.name} has no keys of {wrong[0]} bits", help=f"its key sizes: {known}"
            )
        sizes = tuple(bits for bits in cipher.key_bits if not key_bits or bits in key_bits)
        jobs.append(Job(cipher, strategy or _own_strategy(cipher, target), variant, sizes))
    return jobs


def _own_strategy(cipher: Cipher, target: str) -> str:
    own = {
        "java-jit": cipher.java_strategy,
        "java-interpreted": cipher.interpreted_strategy or cipher.java_strategy,
    }
    return own.get(target, cipher.strategy)


def run_jobs(
    jobs: list[Job], settings: Settings, *, accept_unstable: bool, fresh: bool, quiet: bool
) -> list[Row]:
    """Compile, check and measure; every finished operation is kept in the store at once.

    Raises
    ------
    MeasurementError
        The machine is not steady, and that is not accepted.
    """
    from cipherassay.native.compiler import find_compiler
    from cipherassay.native.generated import generate
    from cipherassay.native.harness import OPERATIONS
    from cipherassay.native.session import session
    from cipherassay.results import Store

    compiler, store = find_compiler("c"), Store()
    total = sum(len(job.key_bits) for job in jobs) * len(OPERATIONS) * settings.inputs
    rows: list[Row] = []
    with progress("measure", total, quiet=quiet) as bar, session(accept_unstable=accept_unstable) as steady:
        for job in jobs:
            code = generate(job.cipher, job.key_bits, strategy=job.strategy, variant=job.variant)
            one = _Measured(job, code, compiler, settings, steady, store)
            for bits in job.key_bits:
                for operation in OPERATIONS:
                    bar.advance(0, f"{job.cipher.name} {bits} {operation.replace('_', ' ')}")
                    kept = None if fresh else one.kept(bits, operation)
                    if kept is None:
                        kept = one.measure(bits, operation, bar.advance)
                    else:
                        bar.advance(settings.inputs)
                    rows += kept
    return rows


class _Measured:
    """The measurements of one cipher's code; compiled when the first is needed."""

    def __init__(
        self,
        job: Job,
        code: GeneratedCode,
        compiler: Compiler,
        settings: Settings,
        steady: Session,
        store: Store,
    ) -> None:
        self.job, self.code, self.compiler = job, code, compiler
        self.settings, self.steady, self.store = settings, steady, store
        self._loaded: LoadedCipher | None = None
        self._checked: set[int] = set()

    def _name(self, bits: int, operation: Operation) -> str:
        parts = [self.code.name, str(bits), self.job.strategy, operation]
        return f"native/measure/{'-'.join(parts)}"

    def _inputs(self, bits: int, operation: Operation) -> dict[str, Any]:
        from cipherassay.native.harness import source_digest

        return {
            "code": list(self.code.files), "key_bits": bits, "operation": operation,
            "inputs": self.settings.inputs, "repeats": self.settings.repeats, "seed": self.settings.seed,
            "compiler": self.compiler.version, "flags": list(self.compiler.scalar_flags),
            "harness": source_digest(), "machine": self.steady.target,
            "counter": self.steady.environment.counter,
        }  # fmt: skip

    def kept(self, bits: int, operation: Operation) -> list[Row] | None:
        """Return the rows of an earlier run under the same conditions, unless they are unstable."""
        rows = self.store.find(self._name(bits, operation), self._inputs(bits, operation))
        return rows if rows and all(row.stable for row in rows) else None

    def measure(self, bits: int, operation: Operation, advance: Any) -> list[Row]:
        """Measure one operation and keep its rows."""
        from cipherassay.native.rows import Subject, rows_of

        cipher = self._cipher(bits)
        chained, repeated, stable = self.steady.measure_distribution(
            cipher, operation, bits, self.settings, advance
        )
        described = self.compiler.describe(self.compiler.scalar_flags)
        variant = f" --variant {self.job.variant}" if self.job.variant else ""
        subject = Subject(
            cipher=self.job.cipher.name, variant=self.job.variant, strategy=self.job.strategy,
            target=self.steady.target, configuration=described,
            tools=f"{self.compiler.version}; {self.steady.environment.counter}",
            command=f"assay measure {self.job.cipher.slug} --key-bits {bits} "
            f"--strategy {self.job.strategy}{variant} --inputs {self.settings.inputs} "
            f"--repeats {self.settings.repeats} --seed {self.settings.seed}",
        )  # fmt: skip
        rows, sample = rows_of(subject, chained, repeated, stable=stable)
        self.store.put(self._name(bits, operation), self._inputs(bits, operation), rows, [sample])
        return rows

    def _cipher(self, bits: int) -> LoadedCipher:
        """Return the compiled code, checked for the key size."""
        from cipherassay.native.backend import LoadedBackend
        from cipherassay.native.checking import check_implementation
        from cipherassay.native.generated import build

        if self._loaded is None:
            self._loaded = build(self.code, compiler=self.compiler)
        if bits not in self._checked:
            what = f"the compiled strategy `{self.job.strategy}`"
            backend = LoadedBackend(self._loaded, what)
            check_implementation(self.job.cipher, backend, bits, variant=self.job.variant)
            self._checked.add(bits)
        return self._loaded


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
