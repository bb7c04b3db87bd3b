"""Measurements of our Java beside Bouncy Castle and our C, as jobs: one for each operation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cipherassay.ciphers import argument
from cipherassay.jobs import Job, Place, Producer, Rows
from cipherassay.native.harness import operations
from cipherassay.native.measuring import steady_session
from cipherassay.strategies import preferred

if TYPE_CHECKING:
    from cipherassay.java.emitting import GeneratedClass
    from cipherassay.java.measuring import Benchmark, Runs, Target
    from cipherassay.java.rows import OperationComparison
    from cipherassay.native.harness import Operation
    from cipherassay.native.loaded import LoadedCipher
    from cipherassay.native.measurement import Settings
    from cipherassay.native.selection import Selection
    from cipherassay.native.session import Session, Tolerance

PRODUCER = Producer(
    "Java", 1, ("cipherassay.java.measuring", "cipherassay.java.rows", "cipherassay.native.session")
)


@contextmanager
def jobs(
    selections: Sequence[Selection], target: Target, runs: Runs, settings: Settings, tolerance: Tolerance
) -> Iterator[tuple[list[Job[Rows]], list[MeasuredClass]]]:
    """Give the jobs, and the classes that they measure; compiled classes last as long as the block.

    Jobs raise ToolError ``J002``, ``J003`` where a tool fails, MeasurementError where the machine is not
    steady, VerificationError ``J010`` where a class gives a wrong answer.
    """
    with ExitStack() as stack:
        classes = [MeasuredClass(one, target, runs, settings, tolerance, stack) for one in selections]
        yield [job for one in classes for job in one.jobs()], classes


@dataclass
class MeasuredClass:
    """The class of one selection: made, built with the benchmark when it is first measured."""

    selection: Selection
    target: Target
    runs: Runs
    settings: Settings
    tolerance: Tolerance
    stack: ExitStack

    @cached_property
    def made(self) -> GeneratedClass:
        """The class."""
        from cipherassay.java.emitting import generate

        one = self.selection
        return generate(one.cipher, one.cipher.key_bits, one.strategy, one.variant)

    @cached_property
    def benchmark(self) -> Benchmark:
        """The class and its rival, compiled with JMH and checked."""
        from cipherassay.java.measuring import in_folder, prepare

        folder = Path(self.stack.enter_context(in_folder()))
        return prepare(self.selection.cipher, self.made, folder, self.selection.variant)

    @property
    def left_out(self) -> str:
        """Why Bouncy Castle's engine was not measured, where there is one; empty if nothing was measured."""
        return self.benchmark.left_out if "benchmark" in vars(self) else ""

    def jobs(self) -> Iterator[Job[Rows]]:
        """Yield the job of each key size and operation."""
        one = self.selection
        slug = "-".join(filter(None, (one.cipher.slug, one.variant)))
        for bits in one.key_bits:
            for operation in operations(one.cipher):
                yield Job(
                    f"native/{self.target}/{slug}-{bits}-{one.strategy}-{operation}",
                    f"{one.cipher.name} {bits} {operation.replace('_', ' ')}",
                    partial(self._rows, operation, bits), inputs=partial(self._inputs, operation, bits),
                    place=Place.ALONE, reusable=lambda result: all(row.stable for row in result.rows),
                )  # fmt: skip

    def _inputs(self, operation: Operation, bits: int) -> dict[str, Any]:
        from cipherassay.java.building import JMH, virtual_machine
        from cipherassay.native.environment import machine_name

        return PRODUCER.inputs(
            source=self.made.text, key_bits=bits, operation=operation, runs=repr(self.runs),
            tools=[virtual_machine(), JMH], machine=machine_name(),
        )  # fmt: skip

    def _rows(self, operation: Operation, bits: int) -> Rows:
        """Measure one operation: C, Java and its rival in turns, then C again."""
        from cipherassay.java.rows import rows_of

        one = self.selection
        variant = f" --variant {one.variant}" if one.variant else ""
        command = (
            f"assay measure {argument(one.cipher)} --processor {self.target}{one.cipher.key_option(bits)} "
            f"--strategy {self.made.strategy}{variant}"
        )
        with steady_session(self.tolerance) as steady:
            compared = self._compared(steady, operation, bits)
            return Rows(rows_of(self.benchmark, self.target, steady, compared, command, one.variant))

    def _compared(self, steady: Session, operation: Operation, bits: int) -> OperationComparison:
        from cipherassay.java.rows import OperationComparison

        before, described, first = self._c_cycles(steady, operation, bits)
        times = self.benchmark.measure(operation, bits, self.target, self.runs)
        after, _, second = self._c_cycles(steady, operation, bits)
        stable = steady.environment.stable and first and second and times.steady
        return OperationComparison(times, min(before, after), described, stable)

    def _c_cycles(self, steady: Session, operation: Operation, bits: int) -> tuple[float, str, bool]:
        """Return the cycles of the cipher's C by its own strategy, what it is, whether it was steady."""
        from cipherassay.native.measurement import typical_cycles
        from cipherassay.tools.compiler import find_compiler

        compiler, cipher = find_compiler("c"), self.selection.cipher
        measured, unstable = steady.measure({"": self._c(bits)}, operation, bits, self.settings)
        described = f"strategy {preferred(cipher)}, {compiler.describe(compiler.scalar_flags)}"
        return typical_cycles(measured[""]), described, not unstable

    def _c(self, bits: int) -> LoadedCipher:
        from cipherassay.native.backend import LoadedBackend
        from cipherassay.native.checking import check_implementation

        cipher, variant = self.selection.cipher, self.selection.variant
        check_implementation(cipher, LoadedBackend(self._compiled, "the compiled C"), bits, variant=variant)
        return self._compiled

    @cached_property
    def _compiled(self) -> LoadedCipher:
        from cipherassay.native.generated import build, generate

        one = self.selection
        return build(generate(one.cipher, one.cipher.key_bits, variant=one.variant))
