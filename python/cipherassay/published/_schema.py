"""What a published number is: the vocabulary and the record types."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation

from cipherassay.errors import Place

METRICS: Mapping[str, str] = {
    "and_count": "gates",
    "area_ge": "GE",
    "area_um2": "µm²",
    "bundles": "bundles",
    "calls": "calls",
    "chain_words": "words",
    "chains": "chains",
    "change": "%",
    "clock_mhz": "MHz",
    "code_bytes": "bytes",
    "cycles": "cycles",
    "depth": "gates",
    "gain": "%",
    "gates": "gates",
    "instructions": "instructions",
    "io_pads": "pads",
    "ipc": "operations/cycle",
    "lookups": "operations",
    "masks": "operations",
    "ops": "operations",
    "parallelism": "operations/cycle",
    "probability": "%",
    "ram_bytes": "bytes",
    "rank": "rank",
    "ratio": "",
    "registers": "registers",
    "repetitions": "times",
    "rotations": "operations",
    "rounds": "rounds",
    "shifts": "operations",
    "slowdown": "%",
    "speedup": "",
    "table_bytes": "bytes",
    "tables": "tables",
    "temporaries": "registers",
    "throughput_mbps": "Mbit/s",
    "throughput_per_area": "bit/s/µm²",
    "time_ns": "ns",
    "transistors": "transistors",
    "width": "operations/cycle",
    "word_xors": "operations",
}
"""Every metric and the one unit it is stated in. Names shared with the results store mean the same there."""

STATISTICS = ("min", "average", "mode", "max", "sigma")
"""Suffixes of a metric that name a statistic over inputs or over designs: ``cycles_average``.

``cycles`` alone is the best time seen, or the only one there is (simulated code).
"""

COUNTED = frozenset(
    (
        "MHz", "bundles", "bytes", "calls", "chains", "cycles", "gates", "instructions", "operations", "pads",
        "rank", "registers", "rounds", "tables", "times", "transistors", "words", "µm²",
    )
)  # fmt: skip
"""Units whose whole numbers are exact (cycles are nominal); other numbers stand for their interval."""

OBTAINED = ("measured", "simulated", "synthesized", "estimated", "counted", "quoted", "derived")
"""How a paper came by a number."""

OPERATIONS = ("", "key_setup_encrypt", "key_setup_decrypt", "key_setup_both", "encrypt", "decrypt")
LEVELS = ("", "native", "processor", "hardware", "circuit", "embedded")

IDENTITY = (
    "cipher", "variant", "part", "operation", "key_bits", "strategy", "level", "target", "configuration",
    "metric",
)  # fmt: skip
"""The fields that say which quantity a row is; two rows equal in all of them state the same quantity."""

SELECTABLE = ("table", *IDENTITY)

KEY_MODES = ("one size", "several sizes", "all sizes", "one key")
"""What keys an implementation takes: of one size, of several, of every size, or the one that it is for."""


def split_metric(metric: str) -> tuple[str, str]:
    """Split ``cycles_average`` into ``cycles`` and ``average``; without a statistic the second is empty."""
    base, _, last = metric.rpartition("_")
    return (base, last) if last in STATISTICS and base in METRICS else (metric, "")


@dataclass(frozen=True)
class PublishedRow:
    """One printed number with everything that says what it is.

    The names of the fields, and the words in them, are those of the result rows. ``value`` is a number in
    ``unit``; ``printed`` keeps the paper's digits, whose count gives the precision. What the words of
    ``configuration`` say (`Word`) stands in ``implementation``, ``architecture``, ``key_mode`` and
    ``speed_grade``. ``errata`` holds the ids of the paper's errata that concern the number.
    """

    paper: str
    table: str
    where: str
    cipher: str
    metric: str
    value: float
    unit: str
    printed: str
    obtained: str
    variant: str = ""
    part: str = ""
    operation: str = ""
    key_bits: int | None = None
    strategy: str = ""
    level: str = ""
    target: str = ""
    configuration: str = ""
    note: str = ""
    implementation: str = ""
    architecture: str = ""
    key_mode: str = ""
    speed_grade: int | None = None
    errata: tuple[str, ...] = ()
    place: Place = field(default=Place(""), compare=False, repr=False)

    @property
    def base_metric(self) -> str:
        """The metric without its statistic."""
        return split_metric(self.metric)[0]

    @property
    def statistic(self) -> str:
        """``min``, ``average``, ``mode``, ``max``, ``sigma``, or empty."""
        return split_metric(self.metric)[1]

    @property
    def identity(self) -> tuple[object, ...]:
        """The values of the fields that say which quantity this is."""
        return tuple(getattr(self, name) for name in IDENTITY)

    def describe(self) -> str:
        """What the number is of, in one line: ``RC6 encrypt 128 pa8500 cycles``."""
        return " ".join(str(word) for word in self.identity if word)

    def interval(self, *, cut: bool = False) -> tuple[float, float]:
        """The smallest and the largest number that would be printed like this.

        Rounded numbers lie within half a unit of the last digit, with ``cut`` (rounded or cut off) within
        one.
        Whole numbers in counted units stand for themselves.
        """
        digits = Decimal(self.printed) if _is_number(self.printed) else Decimal(int(self.value))
        places = int(digits.as_tuple().exponent)
        if places == 0 and self.unit in COUNTED:
            return self.value, self.value
        half = float(Decimal(1 if cut else "0.5").scaleb(places))
        return self.value - half, self.value + half

    def as_result(self) -> dict[str, object]:
        """The row under the field names of the results store, fields that do not apply as None."""
        result: dict[str, object] = {name: getattr(self, name) or None for name in IDENTITY}
        result |= {"value": self.value, "unit": self.unit or None}
        result |= {"implementation": self.implementation or self.paper, "speed_grade": self.speed_grade}
        result |= {name: getattr(self, name) or None for name in ("architecture", "key_mode")}
        return result | {"basis": "published", "reference_source": f"{self.paper}, {self.where}"}


@dataclass(frozen=True)
class Citation:
    """Where a paper was published."""

    authors: tuple[str, ...]
    title: str
    venue: str
    year: int
    note: str = ""


@dataclass(frozen=True)
class Model:
    """A model of this package, of a processor or a technology, that stands for one of a paper's."""

    name: str
    target: str
    """What the paper's rows call it."""


@dataclass(frozen=True)
class Word:
    """What a word of a paper's configurations says: ``speed 1`` that the speed grade is 1."""

    word: str
    says: Mapping[str, str | int]
    """Values of fields of a row."""
    place: Place = field(default=Place(""), compare=False, repr=False)


@dataclass(frozen=True)
class PublishedTable:
    """A table or figure of a paper, or the figures of a passage of its text."""

    id: str
    number: str
    title: str
    where: str
    conditions: str
    rows: tuple[PublishedRow, ...]
    summary: bool = False
    """Whether its number of a quantity stands where the paper prints several."""
    place: Place = field(default=Place(""), compare=False, repr=False)


@dataclass(frozen=True)
class OmittedTable:
    """A table or figure that has no readable values, and why."""

    number: str
    title: str
    why: str
    place: Place = field(default=Place(""), compare=False, repr=False)


Selector = Mapping[str, tuple[object, ...]]
"""Field name to the values it may have."""


@dataclass(frozen=True)
class Relation:
    """What must hold between printed numbers, evaluated once per combination of the fields in ``per``.

    ``cut``: numbers are rounded or cut off; ``tolerance``: what may be lacking, as a share of the larger
    side.
    """

    id: str
    says: str
    expression: str
    over: Selector
    bind: Mapping[str, Selector]
    per: tuple[str, ...]
    instances: int
    cut: bool = False
    tolerance: float = 0.0
    constants: tuple[Mapping[str, object], ...] = ()
    place: Place = field(default=Place(""), compare=False, repr=False)


@dataclass(frozen=True)
class Erratum:
    """A contradiction within the papers: what is printed, and what follows from their other numbers.

    ``relation`` names the relation that breaks (``same-cell``: one quantity printed with two values) and
    ``instances`` selects where; without a relation the erratum is about the text only.
    """

    id: str
    where: str
    printed: str
    follows: str
    relation: str = ""
    instances: tuple[Selector, ...] = ()
    applies: tuple[Selector, ...] = ()
    place: Place = field(default=Place(""), compare=False, repr=False)


@dataclass(frozen=True)
class Part:
    """What one file of a paper holds."""

    citation: Citation | None
    tables: tuple[PublishedTable, ...]
    omitted: tuple[OmittedTable, ...]
    relations: tuple[Relation, ...]
    errata: tuple[Erratum, ...]
    models: tuple[Model, ...]
    words: tuple[Word, ...]
    place: Place


@dataclass(frozen=True)
class PublishedPaper:
    """A paper: its tables as rows, the relations between them, and its errata."""

    id: str
    citation: Citation
    tables: tuple[PublishedTable, ...]
    omitted: tuple[OmittedTable, ...] = ()
    relations: tuple[Relation, ...] = ()
    errata: tuple[Erratum, ...] = ()
    models: tuple[Model, ...] = ()
    words: tuple[Word, ...] = ()
    place: Place = field(default=Place(""), compare=False, repr=False)

    @property
    def rows(self) -> tuple[PublishedRow, ...]:
        """All rows in the order of the file."""
        return tuple(row for table in self.tables for row in table.rows)

    def table(self, id: str) -> PublishedTable:
        """The table with this id; KeyError where there is none."""
        for table in self.tables:
            if table.id == id:
                return table
        raise KeyError(id)


def matches(row: PublishedRow, selector: Selector) -> bool:
    """Whether every field named by the selector has one of its values."""
    return all(getattr(row, name) in values for name, values in selector.items())


def _is_number(text: str) -> bool:
    try:
        Decimal(text)
    except InvalidOperation:
        return False
    return True
