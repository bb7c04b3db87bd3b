"""`assay measure --target java-jit`: the generated Java beside Bouncy Castle and our own C."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from cipherassay.cli._common import progress, say, show_table
from cipherassay.errors import UsageError, nearest

if TYPE_CHECKING:
    from cipherassay.cli.measure import Job
    from cipherassay.java.measuring import Benchmark, Runs, Target
    from cipherassay.java.rows import Compared
    from cipherassay.native.harness import Operation
    from cipherassay.native.loaded import LoadedCipher
    from cipherassay.native.measurement import Settings
    from cipherassay.native.session import Session
    from cipherassay.results import Row


def java_target(name: str) -> Target:
    """Return the target of that name.

    Raises
    ------
    UsageError
        ``J001``: there is none.
    """
    from cipherassay.embedded import processors
    from cipherassay.java.measuring import TARGETS

    for target in TARGETS:
        if name == target:
            return target
    known = ("native", *TARGETS, *processors.names())
    raise UsageError("J001", f"there is no target `{name}`", help=nearest(name, known))


def measure_java(
    jobs: list[Job], target: Target, *, settings: Settings, accept: bool, quiet: bool
) -> list[Row]:
    """Measure the jobs' ciphers in Java; rows of every finished operation are kept in the store at once.

    Raises
    ------
    ToolError
        ``T002``: there is no JDK or no Maven; ``J002``, ``J003``: one of them fails.
    MeasurementError
        The machine is not steady, and that is not accepted.
    VerificationError
        ``J010``: a class gives a wrong answer.
    """
    from cipherassay import tools
    from cipherassay.java.emitting import generate
    from cipherassay.java.measuring import Runs, in_folder, prepare
    from cipherassay.native.harness import OPERATIONS
    from cipherassay.native.session import session
    from cipherassay.results import Store

    tools.require("java")
    tools.require("maven")
    runs, store, rows = Runs(), Store(), []
    total = sum(len(job.key_bits) for job in jobs) * len(OPERATIONS)
    with progress("measure", total, quiet=quiet) as bar, session(accept_unstable=accept) as steady:
        for job in jobs:
            made = generate(job.cipher, job.cipher.key_bits, job.strategy, job.variant)
            with in_folder() as folder:
                benchmark = prepare(job.cipher, made, Path(folder), job.variant)
                for bits in job.key_bits:
                    one = _Measured(job, benchmark, target, runs, steady, settings)
                    for operation in OPERATIONS:
                        bar.advance(0, f"{job.cipher.name} {bits} {operation.replace('_', ' ')}")
                        found = one.rows(operation, bits)
                        name = f"native/{target}/{made.name}-{bits}-{made.strategy}-{operation}"
                        store.put(name, one.inputs(operation, bits), found, [])
                        rows += found
                        bar.advance(1.0)
            if benchmark.left_out:
                say(f"left out: {benchmark.left_out}")
    return rows


class _Measured:
    """The measurements of one cipher's class, and of its C."""

    def __init__(
        self,
        job: Job,
        benchmark: Benchmark,
        target: Target,
        runs: Runs,
        steady: Session,
        settings: Settings,
    ) -> None:
        self.job, self.benchmark, self.target = job, benchmark, target
        self.runs, self.steady, self.settings = runs, steady, settings
        self._loaded: LoadedCipher | None = None

    def inputs(self, operation: Operation, bits: int) -> dict[str, object]:
        """Return what a row's value depends on."""
        from cipherassay.java.measuring import tools_of

        return {
            "class": self.benchmark.made.text, "key_bits": bits, "operation": operation,
            "runs": repr(self.runs), "tools": tools_of(self.benchmark), "machine": self.steady.target,
        }  # fmt: skip

    def rows(self, operation: Operation, bits: int) -> list[Row]:
        """Measure one operation: C, Java and its rival in turns, then C again."""
        from cipherassay.java.rows import rows_of

        variant = f" --variant {self.job.variant}" if self.job.variant else ""
        command = (
            f"assay measure {self.job.cipher.slug} --target {self.target} --key-bits {bits} "
            f"--strategy {self.benchmark.made.strategy}{variant}"
        )
        compared = self._compared(operation, bits)
        return rows_of(self.benchmark, self.target, self.steady, compared, command, self.job.variant)

    def _compared(self, operation: Operation, bits: int) -> Compared:
        from cipherassay.java.rows import Compared

        before, described, first = self._c_cycles(operation, bits)
        times = self.benchmark.measure(operation, bits, self.target, self.runs)
        after, _, second = self._c_cycles(operation, bits)
        stable = self.steady.environment.stable and first and second and times.steady
        return Compared(times, min(before, after), described, stable)

    def _c_cycles(self, operation: Operation, bits: int) -> tuple[float, str, bool]:
        """Return the cycles of the cipher's C by its own strategy, what it is, whether it was steady."""
        from cipherassay.native.backend import LoadedBackend
        from cipherassay.native.checking import check_implementation
        from cipherassay.native.compiler import find_compiler
        from cipherassay.native.generated import build, generate
        from cipherassay.native.measurement import typical_cycles

        compiler = find_compiler("c")
        if self._loaded is None:
            code = generate(self.job.cipher, self.job.cipher.key_bits, variant=self.job.variant)
            self._loaded = build(code, compiler=compiler)
            backend = LoadedBackend(self._loaded, "the compiled C")
            check_implementation(self.job.cipher, backend, bits, variant=self.job.variant)
        measured, unstable = self.steady.measure({"": self._loaded}, operation, bits, self.settings)
        described = f"strategy {self.job.cipher.strategy}, {compiler.describe(compiler.scalar_flags)}"
        return typical_cycles(measured[""]), described, not unstable


def show_java(rows: list[Row]) -> None:
    """Print a line for each operation: cycles of Java, of C and of Bouncy Castle, with the ratios."""
    lines: dict[tuple[object, ...], list[object]] = {}
    for row in rows:
        key = (row.cipher, (row.operation or "").replace("_", " "), row.key_bits)
        stable = "yes" if row.stable else "no"
        line = lines.setdefault(key, [row.strategy, None, None, None, None, None, stable])
        configuration = row.configuration or ""
        if row.metric != "cycles":
            continue
        if configuration.startswith("Bouncy Castle"):
            line[4], line[5] = round(row.value), round(row.ratio or 0, 2)
        elif configuration.startswith("our C"):
            line[2] = round(row.value)
        else:
            line[1], line[3] = round(row.value), round(row.ratio or 0, 2)
    columns = ["cipher", "operation", "key", "strategy", "Java", "C", "Java by C"]
    columns += ["Bouncy Castle", "by Java", "stable"]
    target = rows[0].target or "" if rows else ""
    show_table(columns, [[*key, *line] for key, line in lines.items()], title=target)
    if rows:
        say(f"cycles of one call, {rows[0].configuration}; {rows[0].tools}")
