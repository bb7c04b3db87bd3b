"""Evaluating relations: one instance per combination of fields, on the rows that the bindings find."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from cipherassay.errors import DescriptionError, Place
from cipherassay.published._relation import ExpressionError, Interval, holds, sides
from cipherassay.published._schema import (
    IDENTITY,
    SELECTABLE,
    PublishedPaper,
    PublishedRow,
    Relation,
    Selector,
    matches,
)

SAME_CELL = "same-cell"
"""The relation that every paper has: a quantity printed in several tables is printed with one value."""

Key = tuple[object, ...]


@dataclass(frozen=True)
class Instance:
    """A relation evaluated for one combination of fields: whether it holds, the numbers of its sides.

    ``errata`` holds the ids of the errata that speak of it.
    """

    paper: str
    relation: str
    fields: Mapping[str, object]
    holds: bool
    numbers: str
    places: tuple[Place, ...]
    errata: tuple[str, ...] = ()

    def __str__(self) -> str:
        named = ", ".join(f"{name}={value}" for name, value in self.fields.items() if value not in ("", None))
        return f"{self.relation} ({named}): {self.numbers}" if named else f"{self.relation}: {self.numbers}"


@dataclass(frozen=True)
class _Binding:
    """The rows of one name, grouped by those fields of ``per`` that its selector leaves open."""

    free: tuple[int, ...]
    groups: Mapping[Key, Sequence[PublishedRow]]

    def at(self, key: Key) -> Sequence[PublishedRow]:
        return self.groups.get(tuple(key[n] for n in self.free), ())


def evaluate(paper: PublishedPaper, relation: Relation) -> list[Instance]:
    """Evaluate a relation of the paper wherever all its names find rows.

    Raises
    ------
    DescriptionError
        ``B007`` an expression that cannot be evaluated; ``B010`` not as many instances as declared.
    """
    bound = {name: _bind(paper.rows, relation, chosen) for name, chosen in relation.bind.items()}
    whole = [one.groups for one in bound.values() if len(one.free) == len(relation.per)]
    keys = [key for key in (whole[0] if whole else {}) if all(one.at(key) for one in bound.values())]
    if len(keys) != relation.instances:
        raise DescriptionError(
            "B010",
            f"relation `{relation.id}` has {len(keys)} instances",
            places=[relation.place],
            notes=[f"it declares {relation.instances}"],
            help="a table or a row was lost, or a selector or the number is wrong",
        )
    return [_instance(paper, relation, key, {n: one.at(key) for n, one in bound.items()}) for key in keys]


def same_cells(papers: Sequence[PublishedPaper]) -> list[Instance]:
    """Compare every quantity that several tables state; one instance each."""
    cells: dict[Key, list[PublishedRow]] = {}
    for paper in papers:
        for row in paper.rows:
            cells.setdefault(row.identity, []).append(row)
    return [_same(key, stated) for key, stated in cells.items() if len(stated) > 1]


def _bind(rows: Iterable[PublishedRow], relation: Relation, chosen: Selector) -> _Binding:
    # A field that the selector pins to one value serves every instance: Pentium beside each target.
    free = tuple(n for n, name in enumerate(relation.per) if len(chosen.get(name, ())) != 1)
    groups: dict[Key, list[PublishedRow]] = {}
    for row in rows:
        if matches(row, relation.over) and matches(row, chosen):
            groups.setdefault(tuple(getattr(row, relation.per[n]) for n in free), []).append(row)
    return _Binding(free, groups)


def _instance(
    paper: PublishedPaper, relation: Relation, key: Key, rows: Mapping[str, Sequence[PublishedRow]]
) -> Instance:
    fields = dict(zip(relation.per, key, strict=True))
    values: dict[str, Sequence[Interval]] = {
        name: [row.interval(cut=relation.cut) for row in some] for name, some in rows.items()
    }
    values |= {name: [(number, number)] for name, number in _constants(relation, fields).items()}
    try:
        kept = holds(relation.expression, values, relation.tolerance)
        numbers = sides(relation.expression, values)
    except ExpressionError as error:
        note = f"for {', '.join(f'{n}={v}' for n, v in fields.items())}: {error}"
        raise DescriptionError(
            "B007",
            f"relation `{relation.id}` cannot be evaluated",
            places=[relation.place],
            notes=[relation.expression, note],
        ) from error
    places = {row.place: None for some in rows.values() for row in some}
    return Instance(paper.id, relation.id, fields, kept, numbers, (*places, relation.place))


def _constants(relation: Relation, fields: Mapping[str, object]) -> dict[str, float]:
    """The numbers that a relation gives by itself: entries whose fields agree with the instance."""
    found: dict[str, float] = {}
    for entry in relation.constants:
        chosen = {name: value for name, value in entry.items() if name in SELECTABLE}
        if all(fields.get(name) == value for name, value in chosen.items()):
            found |= {name: float(str(value)) for name, value in entry.items() if name not in SELECTABLE}
    return found


def _same(key: Key, stated: Sequence[PublishedRow]) -> Instance:
    precise = min(stated, key=_places)
    agree = all(_repeats(row, precise) for row in stated)
    numbers = " and ".join(f"{row.printed} ({row.paper}, {row.table})" for row in stated)
    fields = dict(zip(IDENTITY, key, strict=True))
    places = tuple(row.place for row in stated)
    return Instance(stated[-1].paper, SAME_CELL, fields, agree, numbers, places)


def _repeats(row: PublishedRow, precise: PublishedRow) -> bool:
    """Whether a number repeats a more precise one: equal, or with fewer digits, rounded or cut off."""
    if _places(row) == _places(precise):
        return row.value == precise.value
    return abs(row.value - precise.value) < 10.0 ** _places(row)


def _places(row: PublishedRow) -> int:
    """The decimal place of the last printed digit: -2 for 563.01."""
    return int(Decimal(row.printed).as_tuple().exponent) if row.unit != "registers" else 0
