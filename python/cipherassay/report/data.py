"""What a report is made from: the measured rows, the published ones, the samples, the conditions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from cipherassay.lang.shapes import PERMUTATION
from cipherassay.results import Row

if TYPE_CHECKING:
    from cipherassay.coverage import Cell
    from cipherassay.lang.cipher import Cipher

KEY_BITS = (128, 192, 256)
OPERATIONS = {
    "key_setup_both": "key setup",
    "key_setup_encrypt": "key setup, enc.",
    "key_setup_decrypt": "key setup, dec.",
    "encrypt": "encryption",
    "decrypt": "decryption",
}
"""The operations and what the report calls them."""

_PERMUTATIONS = (PERMUTATION.forward, PERMUTATION.backward)


@dataclass(frozen=True)
class ReportData:
    """Everything that the sections read: nothing in a section is measured or typed in."""

    rows: Sequence[Row]
    """Our rows."""
    compared: Sequence[Row] = ()
    """Rows of the comparison with libraries: theirs, which have no strategy, and ours of the same run."""
    published: Sequence[Row] = ()
    samples: Mapping[tuple[str, str, int, str], Sequence[float]] = field(default_factory=dict)
    """Cycles per input by (cipher, operation, key bits, strategy), of the default variants."""
    strategies: Mapping[str, str] = field(default_factory=dict)
    """The default strategy by cipher; the report shows the ciphers in this order."""
    block_bytes: Mapping[str, int] = field(default_factory=dict)
    """Bytes of a block by cipher."""
    circuits: Sequence[Row] = ()
    """The best circuits of S-boxes known, a row per metric."""
    kernels: Sequence[Row] = ()
    """Kernels scheduled for modelled processors, simulated."""
    kernels_left: int = 0
    """How many kernels were left out for lack of time."""
    simulated_samples: Mapping[tuple[str, str, str], Sequence[float]] = field(default_factory=dict)
    """Cycles of random inputs on modelled processors by (cipher, variant, operation)."""
    answers: Sequence[Row] = ()
    """How many known answers passed and failed, by file (`part`) and what computed them (`target`)."""
    conditions: Sequence[tuple[str, str]] = ()
    """Facts about the measurement: (what, value)."""
    hardware: Sequence[Row] = ()
    """Devices synthesized to standard cells, their speed grades."""
    embedded: Sequence[Row] = ()
    """Code for small processors: cycles, code and RAM in simulators."""
    elsewhere: Sequence[Row] = ()
    """Other platforms that each bring their rows (`cipherassay.report.platforms`)."""
    studies: Mapping[str, Sequence[Row]] = field(default_factory=dict)
    """Rows that studies bring for their own sections, by the field of their parts (`report.parts.Part`)."""
    machine: str = "this machine"
    missing: Sequence[str] = ()
    """What was left out and why."""
    pending: Sequence[str] = ()
    """What is still being made while this page is written, each with how many results are missing."""
    described: Mapping[str, Cipher] = field(default_factory=dict, repr=False)
    """Ciphers by name where they are no files of the project's: a data sheet takes them from here."""
    cells: Sequence[Cell] = ()
    """Cells of the coverage table, for data sheets."""

    @cached_property
    def pentiums(self) -> list[Row]:
        """Kernels for the Pentiums, checked and simulated as micro-operations."""
        from cipherassay.x86 import model

        names = model.names()
        of_ciphers = [row for row in self.elsewhere if row.operation not in _PERMUTATIONS]
        return [row for row in of_ciphers if row.target in names]

    @property
    def ciphers(self) -> list[str]:
        """The ciphers that have been measured, in their order."""
        measured = {row.cipher for row in self.rows if row.strategy and row.operation not in _PERMUTATIONS}
        return [name for name in self.strategies if name in measured]

    @property
    def permutations(self) -> list[str]:
        """The permutations that have been measured, in their order."""
        measured = {row.cipher for row in self.rows if row.strategy and row.operation in _PERMUTATIONS}
        return [name for name in self.strategies if name in measured]

    @cached_property
    def key_sizes(self) -> list[int]:
        """The key sizes that ciphers were measured with, in bits."""
        return sorted({row.key_bits for row in self.rows if row.key_bits and row.cipher in self.ciphers})

    @property
    def setup_words(self) -> str:
        """Which key setup `cost` means, where the directions of a cipher have one each; else empty."""
        rows = [(c, self.cost(c, "key_setup", bits)) for c in self.ciphers for bits in self.key_sizes[:1]]
        apart = [cipher for cipher, row in rows if row is not None and row.operation == "key_setup_decrypt"]
        if not apart:
            return ""
        return (
            "Key setup is that for both directions; of ciphers that have one for each direction "
            f"({', '.join(apart)}) that for decryption, the longer one."
        )

    def cipher(self, name: str) -> Cipher | None:
        """Return a cipher by its name; None of one whose file is neither the project's nor described."""
        from cipherassay import ciphers
        from cipherassay.errors import AssayError

        if name in self.described:
            return self.described[name]
        try:
            return ciphers.load(name)
        except AssayError:
            return None

    def of_study(self, field: str) -> Sequence[Row]:
        """Return the rows of a study's field; none if no job made any."""
        return self.studies.get(field, ())

    def ours(
        self,
        cipher: str,
        operation: str,
        key_bits: int | None,
        metric: str = "cycles",
        *,
        variant: str = "",
        strategy: str | None = None,
    ) -> Row | None:
        """Return our row of a cipher's operation; by default of its default strategy and variant."""
        wanted = strategy or self.strategies.get(cipher)
        for row in self.rows:
            if (
                row.strategy
                and row.level == "native"
                and row.strategy == wanted
                and (row.cipher, row.operation, row.key_bits, row.metric)
                == (cipher, operation, key_bits, metric)
                and (row.variant or "") == variant
            ):
                return row
        return None

    def theirs(
        self,
        source: str,
        cipher: str,
        operation: str,
        metric: str = "cycles",
        *,
        target: str,
        key_bits: int | None = None,
        variant: str = "",
        configuration: str | None = None,
    ) -> Row | None:
        """Return a published row of the paper whose `reference_source` starts with `source`."""
        for row in self.published:
            if (
                (row.reference_source or "").startswith(source)
                and (row.cipher, row.operation, row.metric, row.target) == (cipher, operation, metric, target)
                and (key_bits is None or row.key_bits in (None, key_bits))
                and (row.variant or "") == variant
                and (configuration is None or (row.configuration or "") == configuration)
            ):
                return row
        return None

    def cost(self, cipher: str, operation: str, key_bits: int | None, metric: str = "cycles") -> Row | None:
        """Return our row as `ours` does; for ``key_setup``, that of the keys of both directions.

        A cipher with one key schedule for both directions sets them up by ``key_setup_encrypt``.
        """
        for name in _setup(operation):
            row = self.ours(cipher, name, key_bits, metric)
            if row is not None:
                return row
        return None

    def published_cost(
        self, source: str, cipher: str, operation: str, metric: str = "cycles", *, target: str
    ) -> Row | None:
        """Return a published row as `theirs` does; for ``key_setup``, that of the keys of both directions."""
        for name in _setup(operation):
            row = self.theirs(source, cipher, name, metric, target=target)
            if row is not None:
                return row
        return None

    def sample(self, row: Row) -> Sequence[float]:
        """Return the cycles per input that a row was computed from; none if they were not kept."""
        return self.samples.get(
            (row.cipher or "", row.operation or "", row.key_bits or 0, row.strategy or ""), ()
        )

    def libraries(self, cipher: str, operation: str, key_bits: int) -> list[Row]:
        """Return the rows of other libraries for an operation, the fastest first."""
        found = [row for row in self._compared(cipher, operation, key_bits) if not row.strategy]
        return sorted(found, key=lambda row: (row.value, row.configuration or ""))

    def beside_libraries(self, cipher: str, operation: str, key_bits: int) -> Row | None:
        """Return our row, by the default compiler, of the run that measured the libraries; its reference is
        the fastest of them."""
        return next(iter(self.compiled_beside_libraries(cipher, operation, key_bits)), None)

    def compiled_beside_libraries(self, cipher: str, operation: str, key_bits: int) -> list[Row]:
        """Return our rows of the run that measured the libraries, one a compiler, the default one first."""
        return [row for row in self._compared(cipher, operation, key_bits) if row.strategy]

    def best_library(self, cipher: str, operation: str, key_bits: int) -> Row | None:
        """Return the row of the library that ours is compared with."""
        for name in _setup(operation):
            ours = self.beside_libraries(cipher, name, key_bits)
            for row in self.libraries(cipher, name, key_bits) if ours else ():
                if ours and row.configuration == ours.reference_source and row.value == ours.reference:
                    return row
        return None

    def _compared(self, cipher: str, operation: str, key_bits: int) -> list[Row]:
        wanted = (cipher, operation, key_bits, "cycles")
        return [r for r in self.compared if (r.cipher, r.operation, r.key_bits, r.metric) == wanted]


def _setup(operation: str) -> tuple[str, ...]:
    return (
        ("key_setup_both", "key_setup_decrypt", "key_setup_encrypt")
        if operation == "key_setup"
        else (operation,)
    )
