"""Our generated code and other libraries, measured by turns in one run."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from cipherassay.errors import AssayError, UsageError, VerificationError, nearest
from cipherassay.native.backend import LoadedBackend
from cipherassay.native.checking import check_implementation
from cipherassay.native.constant_time_program import is_constant_time
from cipherassay.native.harness import Operation, operations
from cipherassay.native.libraries import (
    LoadedLibrary,
    PublishedFigures,
    load_library,
    records,
)
from cipherassay.native.loaded import LoadedCipher
from cipherassay.native.measurement import Settings, measure_together, typical_cycles
from cipherassay.native.session import Session
from cipherassay.results import Row
from cipherassay.tools.compiler import Compiler

if TYPE_CHECKING:
    from cipherassay.ciphers import Cipher

BETTER = "the better of both"
EQUAL = 1.02
"""Ratios up to this one count as equal."""
AES_INSTRUCTIONS = "aes-instructions"


@dataclass(frozen=True)
class Omission:
    """What was left out and why."""

    name: str
    reason: str
    help: str = ""


@dataclass
class Peers:
    """The libraries that are here, and what was left out."""

    loaded: dict[str, LoadedLibrary] = field(default_factory=dict)
    skipped: list[Omission] = field(default_factory=list)
    figures: tuple[PublishedFigures, ...] = ()


def load_peers(only: list[str] | None = None) -> Peers:
    """Compile the adapters of all libraries (or of those named); what is missing is listed, not an error.

    Raises
    ------
    UsageError
        ``N052``: there is no record of a library named.
    """
    libraries, figures = records()
    known = [library.name for library in libraries]
    for name in only or []:
        if name not in known:
            raise UsageError("N052", f"no library is called `{name}`", help=nearest(name, known))
    peers = Peers(figures=figures)
    for library in libraries:
        if only and library.name not in only:
            continue
        try:
            peers.loaded[library.name] = load_library(library)
        except AssayError as error:
            reason = "; ".join([error.message, *error.notes[:2]])
            peers.skipped.append(Omission(library.title, reason, error.help))
    return peers


@dataclass(frozen=True)
class Comparison:
    """One operation: our rows, one for each compiler, and the rows of the libraries, the fastest first."""

    compiled: tuple[Row, ...]
    """The default compiler's is the first."""
    others: tuple[Row, ...]

    @property
    def ours(self) -> Row:
        """The row of the default compiler."""
        return self.compiled[0]

    @property
    def best(self) -> Row:
        """Our row with the fewest cycles."""
        return min(self.compiled, key=lambda row: row.value)

    def by(self, compiler: str) -> Row | None:
        """Return our row of a kind of compiler, ``gcc`` or ``clang``; None if it was not there."""
        return next((row for row in self.compiled if compiler_kind(row) == compiler), None)

    def fastest_of_kind(self) -> Row | None:
        """Return the fastest library that is constant time as ours is, or is not as ours is not."""
        kind = self.ours.constant_time
        return next((row for row in rivals(self.others) if row.constant_time == kind), None)


def compiler_kind(row: Row) -> str:
    """Return the kind of compiler that made what a row measured: ``gcc``, ``clang``."""
    return (row.compiler or "").partition(" ")[0]


def compiler_kinds(comparisons: Iterable[Comparison]) -> list[str]:
    """Return the kinds of compilers of our rows, the default one first."""
    return list(dict.fromkeys(compiler_kind(row) for one in comparisons for row in one.compiled))


def compared_rows(comparisons: Iterable[Comparison]) -> dict[str, list[Row]]:
    """Return our rows that stand beside a library by the kind of compiler, and last, if there are several
    kinds, the better one of each comparison."""
    beside = [one for one in comparisons if one.ours.ratio is not None]
    kinds = compiler_kinds(beside)
    found = {kind: [row for one in beside if (row := one.by(kind))] for kind in kinds}
    return {**found, BETTER: [one.best for one in beside]} if len(kinds) > 1 else found


def rivals(rows: Iterable[Row]) -> list[Row]:
    """Return the rows that ours is compared with: those without AES instructions."""
    return [row for row in rows if AES_INSTRUCTIONS not in (row.configuration or "")]


@dataclass(frozen=True)
class OwnCode:
    """Our code of one cipher, compiled by several compilers."""

    cipher: Cipher
    strategy: str
    compiled: Mapping[Compiler, LoadedCipher]
    """The default compiler is the first."""

    def is_constant_time(self, key_bits: int) -> bool:
        """Whether no address in the program that was compiled depends on key or data; it has no branches."""
        return is_constant_time(self.cipher, key_bits, self.strategy)


def implementations(
    ours: OwnCode, key_bits: int, peers: Peers
) -> tuple[dict[str, LoadedCipher], list[Omission]]:
    """Return what computes a cipher with this key size, each checked against the evaluator: ours, by the
    kinds of their compilers, first.

    A library whose answers are wrong is left out; if ours are, that is an error.
    """
    found: dict[str, LoadedCipher] = {}
    skipped = []
    for compiler, loaded in ours.compiled.items():
        called = f"the strategy `{ours.strategy}` compiled by {compiler.describe()}"
        check_implementation(ours.cipher, LoadedBackend(loaded, called), key_bits)
        found[compiler.kind] = loaded
    for name, library in peers.loaded.items():
        cipher = library.cipher(ours.cipher.slug, key_bits, ours.cipher.sizes[1])
        if cipher is None:
            continue
        what = library.describe(ours.cipher.slug)
        try:
            check_implementation(ours.cipher, LoadedBackend(cipher, what), key_bits, what=what)
        except VerificationError as error:
            skipped.append(Omission(what, error.message))
            continue
        found[name] = cipher
    return found, skipped


def compare(
    ours: OwnCode,
    key_bits: int,
    peers: Peers,
    session: Session,
    settings: Settings,
    advance: Callable[[float], None] = lambda amount: None,
) -> Iterator[Comparison]:
    """Measure each operation of a cipher in all implementations; yields them one by one.

    Raises
    ------
    VerificationError
        ``N030``: our code computes wrongly.
    MeasurementError
        ``N021``: the measurement was disturbed, and that is not accepted.
    """
    found, skipped = implementations(ours, key_bits, peers)
    peers.skipped += [one for one in skipped if one not in peers.skipped]
    fast = _uses_aes_instructions(ours, key_bits, found)
    for operation in operations(ours.cipher):
        measured, unstable = session.measure(found, operation, key_bits, settings, advance)
        cycles = {name: typical_cycles(one) for name, one in measured.items()}
        rows = _Rows(ours, operation, key_bits, session, unstable)
        others = [
            rows.library(peers.loaded[name], value, instructions=name in fast)
            for name, value in cycles.items()
            if name in peers.loaded
        ]
        others += published_rows(ours, operation, key_bits, peers, session, settings)
        others.sort(key=lambda row: row.value)
        compiled = tuple(rows.ours(one, cycles[one.kind], others) for one in ours.compiled)
        yield Comparison(compiled, tuple(others))


def _uses_aes_instructions(ours: OwnCode, key_bits: int, found: Mapping[str, LoadedCipher]) -> set[str]:
    """Return the libraries that are faster at AES than any scalar code can be."""
    known = tomllib.loads(Path(__file__).with_name("aes_instructions.toml").read_text(encoding="utf-8"))
    if ours.cipher.slug != known["cipher"]:
        return set()
    least: float = known["least_scalar_cycles"][str(key_bits)]
    measured = measure_together(found, "encrypt", key_bits, Settings(inputs=8, repeats=9))
    return {name for name, one in measured.items() if typical_cycles(one) < least}


@dataclass(frozen=True)
class _Rows:
    """Makes the rows of one operation."""

    ours_: OwnCode
    operation: Operation
    key_bits: int
    session: Session
    unstable: frozenset[str]
    """Names of the implementations whose measurement was disturbed."""

    def ours(self, compiler: Compiler, cycles: float, others: list[Row]) -> Row:
        best = next(iter(rivals(others)), None)
        return self._row(
            cycles, strategy=self.ours_.strategy, configuration=compiler.describe(compiler.scalar_flags),
            compiler=compiler.describe(compiler.scalar_flags),
            tools=compiler.version, reference=best.value if best else None,
            reference_source=best.configuration if best else None, stable=compiler.kind not in self.unstable,
            constant_time=self.ours_.is_constant_time(self.key_bits),
        )  # fmt: skip

    def library(self, library: LoadedLibrary, cycles: float, *, instructions: bool) -> Row:
        slug = self.ours_.cipher.slug
        name, said = library.describe(slug), library.library.ciphers[slug]
        return self._row(
            cycles, configuration=f"{name}, {AES_INSTRUCTIONS}" if instructions else name,
            implementation=name, compiler=library.compiler or None,
            tools=f"{name}: {library.library.path}; {said.source}",
            stable=library.library.name not in self.unstable, constant_time=said.constant_time,
        )  # fmt: skip

    def published(self, cycles: float, figures: PublishedFigures, how: str) -> Row:
        return self._row(
            cycles, basis="published", configuration=f"{figures.title}, scaled",
            implementation=figures.title, reference_source=how,
            stable=not self.unstable,
        )  # fmt: skip

    def _row(
        self,
        cycles: float,
        *,
        configuration: str,
        stable: bool,
        implementation: str | None = None,
        compiler: str | None = None,
        strategy: str | None = None,
        tools: str | None = None,
        basis: str = "measured",
        reference: float | None = None,
        reference_source: str | None = None,
        constant_time: bool | None = None,
    ) -> Row:
        return Row(
            cipher=self.ours_.cipher.name, operation=self.operation, key_bits=self.key_bits or None,
            strategy=strategy, level="native", target=self.session.target, configuration=configuration,
            implementation=implementation, compiler=compiler, metric="cycles", value=cycles, basis=basis,
            reference=reference, reference_source=reference_source, stable=stable,
            constant_time=constant_time, tools=tools,
            command=f"assay compare {self.ours_.cipher.slug}"
            f"{self.ours_.cipher.key_option(self.key_bits)}",
        )  # fmt: skip


def published_rows(
    ours: OwnCode,
    operation: Operation,
    key_bits: int,
    peers: Peers,
    session: Session,
    settings: Settings,
) -> list[Row]:
    """Return the published figures of an operation, scaled to this machine by their kernel measured here."""
    rows = []
    for figures in peers.figures:
        wanted = [
            figure
            for figure in figures.figures
            if (figure.cipher, figure.operation) == (ours.cipher.slug, operation)
        ]
        if not wanted:
            continue
        kernel, library = figures.kernel, peers.loaded.get(figures.kernel["library"])
        cipher = library.cipher(kernel["cipher"], kernel["key_bits"]) if library else None
        if library is None or cipher is None:
            reason = f"its scale needs {kernel['library']}, which is not here"
            peers.skipped += [one for one in [Omission(figures.title, reason)] if one not in peers.skipped]
            continue
        measured, unstable = session.measure({"": cipher}, kernel["operation"], kernel["key_bits"], settings)
        here = typical_cycles(measured[""])
        scale = here / kernel["cycles"]
        what = f"{library.describe(kernel['cipher'])} {kernel['operation']}"
        how = (
            f"{figures.note}: {wanted[0].cycles:g} cycles there; scaled by {what}: "
            f"{kernel['cycles']:g} there, {here:.1f} here ({kernel['note']})"
        )
        made = _Rows(ours, operation, key_bits, session, unstable)
        rows.append(made.published(wanted[0].cycles * scale, figures, how))
    return rows
