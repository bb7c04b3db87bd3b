"""Measurements of our generated C on this machine, as jobs: code compiled, checked, timed."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

from cipherassay.ciphers import argument
from cipherassay.inputs import emitted_c_digest
from cipherassay.jobs import Job, Place, Producer, Rows
from cipherassay.jobs.digests import digest
from cipherassay.native.harness import operations, source_digest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from cipherassay.native.harness import Operation
    from cipherassay.native.loaded import LoadedCipher
    from cipherassay.native.measurement import Settings
    from cipherassay.native.selection import Selection
    from cipherassay.native.session import Session, Tolerance
    from cipherassay.tools.compiler import Compiler

MEASUREMENT = Producer(
    "measurement", 1, ("cipherassay.native.session", "cipherassay.native.rows", "cipherassay.native.checking")
)
COMPILATION = Producer("compilation", 1, ("cipherassay.native.generated",))
STEADY_SECONDS = 5.0
"""For so long a core that was found steady is trusted without another look."""


def jobs(selections: Sequence[Selection], settings: Settings, tolerance: Tolerance) -> list[Job[Rows]]:
    """Return the jobs that compile and measure: one for each selection's code, one for each operation.

    Parameters
    ----------
    tolerance : Tolerance
        When to measure on an unsteady machine, too; rows are marked. Otherwise a job raises MeasurementError.
    """
    found: list[Job[Rows]] = []
    for selection in selections:
        code = MeasuredCode(selection, settings, tolerance)
        found.append(code.compilation())
        each = operations(selection.cipher)
        cells = [(bits, operation) for bits in selection.key_bits for operation in each]
        found += [code.measurement(bits, operation) for bits, operation in cells]
    return found


def names_of(selection: Selection, bits: int) -> str:
    """Return what the names of the jobs begin with that measure a selection with keys of a size."""
    return f"native/measure/{_slug(selection)}-{bits}-"


def _slug(selection: Selection) -> str:
    return "-".join(filter(None, (selection.cipher.slug, selection.variant, selection.strategy)))


@contextmanager
def steady_session(tolerance: Tolerance) -> Iterator[Session]:
    """Give a session, and count a refusal; what was found of the machine a moment ago still counts."""
    from cipherassay.errors import MeasurementError
    from cipherassay.native.environment import pinned
    from cipherassay.native.session import Session, session

    known: tuple[float, Session] | None = getattr(_last, "session", None)
    try:
        if known is not None and time.monotonic() - known[0] < STEADY_SECONDS and known[1].environment.stable:
            with pinned(known[1].environment.core):
                yield Session(known[1].environment, tolerance.accepts)
            return
        with session(accept_unstable=tolerance.accepts) as found:
            yield found
            _last.session = time.monotonic(), found
    except MeasurementError:
        tolerance.refused += 1
        raise


_last = threading.local()


@dataclass
class MeasuredCode:
    """The jobs of one selection, which share its compiled code."""

    selection: Selection
    settings: Settings
    tolerance: Tolerance

    def __post_init__(self) -> None:
        self._loaded: LoadedCipher | None = None
        self._checked: set[int] = set()

    @cached_property
    def _compiler(self) -> Compiler:
        from cipherassay.tools.compiler import find_compiler

        return find_compiler("c")

    def _code(self) -> dict[str, Any]:
        """Return what the compiled code depends on."""
        one, compiler = self.selection, self._compiler
        return {
            "source": emitted_c_digest(one.cipher, one.key_bits, one.strategy, one.variant),
            "compiler": compiler.version, "flags": list(compiler.scalar_flags),
        }  # fmt: skip

    def compilation(self) -> Job[Rows]:
        """Return the job that compiles the code: while something is measured, nothing else should run."""
        sizes = digest({"sizes": self.selection.key_bits})[:8]
        return Job(
            f"native/compile/{_slug(self.selection)}-{sizes}",
            f"compiling {self.selection.cipher.name} {self.selection.strategy}", self._compile,
            inputs=lambda: COMPILATION.inputs(**self._code()), memory_mb=400.0,
        )  # fmt: skip

    def _compile(self) -> Rows:
        self._build()
        return Rows([])

    def _build(self) -> LoadedCipher:
        from cipherassay.native.generated import build, generate

        if self._loaded is None:
            one = self.selection
            code = generate(one.cipher, one.key_bits, strategy=one.strategy, variant=one.variant)
            self._loaded = build(code, compiler=self._compiler)
        return self._loaded

    def measurement(self, bits: int, operation: Operation) -> Job[Rows]:
        """Return the job that measures one operation."""
        return Job(
            f"{names_of(self.selection, bits)}{operation}",
            f"{self.selection.cipher.name}{f' {bits}' if bits else ''} {operation.replace('_', ' ')}",
            partial(self._measure, bits, operation), inputs=partial(self._inputs, bits, operation),
            needs=[self.compilation().name], place=Place.ALONE, tries=self.tolerance.tries,
            reusable=lambda result: all(row.stable for row in result.rows),
        )  # fmt: skip

    def _inputs(self, bits: int, operation: Operation) -> dict[str, Any]:
        from cipherassay.native.environment import counter_kind, machine_name

        settings = self.settings
        return MEASUREMENT.inputs(
            **self._code(), key_bits=bits, operation=operation, harness=source_digest(),
            inputs=settings.inputs, repeats=settings.repeats, seed=settings.seed, machine=machine_name(),
            counter=counter_kind(),
        )  # fmt: skip

    def _measure(self, bits: int, operation: Operation) -> Rows:
        from cipherassay.native.constant_time_program import is_constant_time
        from cipherassay.native.rows import Subject, rows_of

        cipher = self._cipher(bits)
        one, settings, compiler = self.selection, self.settings, self._compiler
        with steady_session(self.tolerance) as steady:
            chained, repeated, stable = steady.measure_distribution(cipher, operation, bits, settings)
            variant = f" --variant {one.variant}" if one.variant else ""
            subject = Subject(
                cipher=one.cipher.name, variant=one.variant, strategy=one.strategy, target=steady.target,
                configuration=compiler.describe(compiler.scalar_flags),
                compiler=compiler.describe(compiler.scalar_flags),
                constant_time=is_constant_time(one.cipher, bits, one.strategy, one.variant),
                tools=f"{compiler.version}; {steady.environment.counter}",
                command=f"assay measure {argument(one.cipher)}{one.cipher.key_option(bits)} "
                f"--strategy {one.strategy}{variant} --inputs {settings.inputs} "
                f"--repeats {settings.repeats} --seed {settings.seed}",
            )  # fmt: skip
        rows, sample = rows_of(subject, chained, repeated, stable=stable)
        return Rows(rows, [sample])

    def _cipher(self, bits: int) -> LoadedCipher:
        """Return the compiled code, checked for the key size."""
        from cipherassay.native.backend import LoadedBackend
        from cipherassay.native.checking import check_implementation

        loaded = self._build()
        if bits not in self._checked:
            backend = LoadedBackend(loaded, f"the compiled strategy `{self.selection.strategy}`")
            check_implementation(self.selection.cipher, backend, bits, variant=self.selection.variant)
            self._checked.add(bits)
        return loaded
