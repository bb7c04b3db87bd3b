"""A row of results: one number with everything needed to assess and to reproduce it."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from cipherassay.errors import AssayError, nearest
from cipherassay.published import KEY_MODES
from cipherassay.results.metrics import METRICS, find_metric

OPERATIONS = (
    "key_setup_encrypt", "key_setup_decrypt", "key_setup_both", "encrypt", "decrypt", "permute", "inverse",
    "key_setup_evaluate", "evaluate",
)  # fmt: skip
PROVED, OPTIMAL = "proved", "optimal"
"""How certificates begin that say that no better value exists: then the value equals its bound."""
LEVELS = ("native", "processor", "hardware", "circuit", "embedded")
BASES = ("measured", "simulated", "synthesized", "published")
OURS = "ours"
"""The implementation that this project makes from a description."""
FAILS_HOLD = "fails hold"
"""How the certificate of a row begins whose device violates hold, so that it computes wrong."""


class RowError(AssayError):
    """A row that says something impossible: a defect of its producer, or of a file it came from."""

    exit_code = 4


@dataclass(frozen=True, kw_only=True)
class Row:
    """One number. Fields that do not apply are None, never an empty string.

    `platform` is the one name of what the number is for, in our rows and in published ones; `target` (its
    default) says which model of it. `implementation` is ``ours``, a library with its version, or of a
    published row the paper; `architecture` how the rounds are laid out (``loop``, ``unrolled``,
    ``iterative``, ``pipelined``), `key_mode` which keys it takes (`KEY_MODES`), `speed_grade` the number of
    the synthesized design among those of its device, 1 the fastest. `configuration` says the same, and more,
    in words.

    `ratio` is computed: `value` by `reference`. `constant_time` says of code whether its time depends on
    neither key nor data. Whether lower or higher is better is the metric's
    (`cipherassay.results.METRICS`). `bound` is a limit that no value can beat.

    Raises
    ------
    RowError
        ``R001``: a word outside its vocabulary; ``R002``: not a finite number; ``R003``: beats its bound;
        ``R004``: its certificate says proved, but it is not the bound; ``R007``: an empty string.
    """

    cipher: str | None = None
    variant: str | None = None
    part: str | None = None
    operation: str | None = None
    key_bits: int | None = None
    strategy: str | None = None
    level: str | None = None
    target: str | None = None
    platform: str | None = None
    configuration: str | None = None
    implementation: str | None = None
    compiler: str | None = None
    architecture: str | None = None
    key_mode: str | None = None
    speed_grade: int | None = None
    metric: str
    value: float
    unit: str | None = None
    basis: str
    bound: float | None = None
    certificate: str | None = None
    reference: float | None = None
    reference_source: str | None = None
    ratio: float | None = field(init=False, default=None)
    stable: bool | None = None
    constant_time: bool | None = None
    tools: str | None = None
    command: str | None = None

    def __post_init__(self) -> None:
        for name in _TEXTS:
            if getattr(self, name) == "":
                raise RowError(
                    "R007",
                    f"`{name}` of a row is an empty string",
                    notes=[f"the row: {self.describe()}"],
                    help="a field that does not apply is None",
                )
        metric = find_metric(self.metric)
        if metric is None:
            raise _unknown("metric", self.metric, METRICS)
        _one_of("level", self.level, LEVELS)
        _one_of("basis", self.basis, BASES)
        _one_of("operation", self.operation, OPERATIONS)
        _one_of("key_mode", self.key_mode, KEY_MODES)
        if self.platform is None:
            object.__setattr__(self, "platform", self.target)
        if self.implementation is None and self.basis != "published":
            object.__setattr__(self, "implementation", OURS)
        for name in ("value", "bound", "reference"):
            number = getattr(self, name)
            if number is not None and not math.isfinite(number):
                raise RowError(
                    "R002", f"`{name}` of a row is {number}", notes=[f"the row: {self.describe()}"]
                )
            if number is not None:  # as the store gives it back, so that a row that was kept shows the same
                object.__setattr__(self, name, float(number))
        if self.unit is None:
            object.__setattr__(self, "unit", metric.unit or None)
        if self.bound is not None:
            beats = self.value < self.bound if metric.better == "lower" else self.value > self.bound
            if metric.better and beats:
                raise RowError(
                    "R003",
                    f"a value beats its bound: {self.metric} {self.value} against {self.bound}",
                    notes=[f"the row: {self.describe()}"],
                )
        claims = (self.certificate or "").startswith((PROVED, OPTIMAL))
        if claims and self.value != self.bound:
            raise RowError(
                "R004",
                f"a certificate claims more than the bound says: {self.metric} {self.value} against "
                f"{self.bound}",
                notes=[f"the row: {self.describe()}", f"its certificate: {self.certificate}"],
            )
        if self.reference:
            object.__setattr__(self, "ratio", self.value / self.reference)

    def describe(self) -> str:
        """Return what the number is of, in a line: ``CIPHER encrypt 128 direct [native, Zen 5] cycles``."""
        what = (self.cipher, self.variant, self.part, self.operation, self.key_bits, self.strategy)
        words = " ".join(str(word) for word in what if word)
        where = ", ".join(word for word in (self.level, self.target, self.configuration) if word)
        return f"{words} [{where}] {self.metric}"

    def as_dict(self) -> dict[str, Any]:
        """Return the row's fields in their order."""
        return asdict(self)

    @staticmethod
    def from_dict(values: dict[str, Any]) -> Row:
        """Return the row that `as_dict` gave; `ratio` is computed anew."""
        return Row(**{name: value for name, value in values.items() if name in FIELDS and name != "ratio"})


FIELDS: tuple[str, ...] = tuple(f.name for f in fields(Row))
"""The fields of a row in their order: the same names in Parquet, in JSON and in queries."""


_TEXTS = tuple(f.name for f in fields(Row) if f.type.startswith("str"))


def _one_of(what: str, word: str | None, known: tuple[str, ...]) -> None:
    if word is not None and word not in known:
        raise _unknown(what, word, known)


def _unknown(what: str, word: str, known: Iterable[str]) -> RowError:
    return RowError("R001", f"a row's {what} cannot be `{word}`", help=nearest(word, known))
