"""Judging the published data: every relation is evaluated, every broken one must be a recorded erratum."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from cipherassay.errors import AssayError, DescriptionError, Place, VerificationError
from cipherassay.published._relation import ExpressionError, Interval, holds, sides
from cipherassay.published._schema import (
    IDENTITY,
    SELECTABLE,
    Erratum,
    PublishedPaper,
    PublishedRow,
    Relation,
    Selector,
    matches,
)

SAME_CELL = "same-cell"
"""The relation that every paper has: a quantity that is printed in several tables is printed with one value."""

Key = tuple[object, ...]


@dataclass(frozen=True)
class Instance:
    """A relation evaluated for one combination of fields: whether it holds, and the numbers of its sides."""

    paper: str
    relation: str
    fields: Mapping[str, object]
    holds: bool
    numbers: str
    places: tuple[Place, ...]
    errata: tuple[str, ...] = ()

    def __str__(self) -> str:
        named = ", ".join(f"{name}={value}" for name, value in self.fields.items() if value not in ("", None))
        return f"{self.relation} ({named}): {self.numbers}"


def instances(papers: Sequence[PublishedPaper]) -> list[Instance]:
    """Evaluate every relation of every paper, and ``same-cell`` over all of them; errata are assigned.

    Raises
    ------
    DescriptionError
        ``B007`` an expression that cannot be evaluated; ``B010`` a relation that has not as many instances as it
        declares, or an erratum's selector that finds nothing.
    """
    found = [one for paper in papers for relation in paper.relations for one in _evaluate(paper, relation)]
    found += _same_cell(papers)
    return [_with_errata(one, papers) for one in found]


def problems(papers: Sequence[PublishedPaper]) -> list[AssayError]:
    """Everything that is wrong: broken relations without an erratum, errata whose relation holds.

    The errors are ``B008`` (a relation breaks and no erratum says so) and ``B009`` (an erratum names a relation
    that holds, or does not exist).
    """
    found = instances(papers)
    broken = [one for one in found if not one.holds and not one.errata]
    errors: list[AssayError] = [_unrecorded(one) for one in broken]
    for paper in papers:
        for erratum in paper.errata:
            if erratum.relation:
                errors += _void(paper, erratum, found)
    return errors


@dataclass(frozen=True)
class _Binding:
    """The rows of one name, grouped by those fields of ``per`` that its selector leaves open."""

    free: tuple[int, ...]
    groups: Mapping[Key, Sequence[PublishedRow]]

    def at(self, key: Key) -> Sequence[PublishedRow]:
        return self.groups.get(tuple(key[n] for n in self.free), ())


def _bind(rows: Iterable[PublishedRow], relation: Relation, chosen: Selector) -> _Binding:
    # A field that the selector pins to one value is the same for every instance: Pentium beside each target.
    free = tuple(n for n, name in enumerate(relation.per) if len(chosen.get(name, ())) != 1)
    groups: dict[Key, list[PublishedRow]] = {}
    for row in rows:
        if matches(row, relation.over) and matches(row, chosen):
            groups.setdefault(tuple(getattr(row, relation.per[n]) for n in free), []).append(row)
    return _Binding(free, groups)


def _evaluate(paper: PublishedPaper, relation: Relation) -> list[Instance]:
    place = Place(paper.file, relation.line)
    bound = {name: _bind(paper.rows, relation, chosen) for name, chosen in relation.bind.items()}
    whole = [one.groups for one in bound.values() if len(one.free) == len(relation.per)]
    keys = [key for key in (whole[0] if whole else {}) if all(one.at(key) for one in bound.values())]
    if len(keys) != relation.instances:
        raise DescriptionError(
            "B010", f"relation `{relation.id}` has {len(keys)} instances", places=[place],
            notes=[f"it declares {relation.instances}"],
            help="a table or a row was lost, or a selector or the number is wrong",
        )  # fmt: skip
    return [_instance(paper, relation, key, {n: one.at(key) for n, one in bound.items()}) for key in keys]


def _instance(
    paper: PublishedPaper, relation: Relation, key: Key, rows: Mapping[str, Sequence[PublishedRow]]
) -> Instance:
    fields = dict(zip(relation.per, key, strict=True))
    values: dict[str, Sequence[Interval]] = {
        name: [row.interval(cut=relation.cut) for row in some] for name, some in rows.items()
    }
    for name, number in _constants(relation, fields).items():
        values[name] = [(number, number)]
    lines = sorted({row.line for some in rows.values() for row in some})
    try:
        kept, numbers = holds(relation.expression, values), sides(relation.expression, values)
    except ExpressionError as error:
        place = Place(paper.file, relation.line)
        note = f"for {', '.join(f'{n}={v}' for n, v in fields.items())}: {error}"
        raise DescriptionError("B007", f"relation `{relation.id}` cannot be evaluated", places=[place],
                               notes=[relation.expression, note]) from error  # fmt: skip
    places = tuple(Place(paper.file, line) for line in (*lines, relation.line))
    return Instance(paper.id, relation.id, fields, kept, numbers, places)


def _constants(relation: Relation, fields: Mapping[str, object]) -> dict[str, float]:
    """The numbers that a relation gives by itself: entries whose fields agree with the instance."""
    found: dict[str, float] = {}
    for entry in relation.constants:
        chosen = {name: value for name, value in entry.items() if name in SELECTABLE}
        if all(fields.get(name) == value for name, value in chosen.items()):
            found |= {name: float(str(value)) for name, value in entry.items() if name not in SELECTABLE}
    return found


def _same_cell(papers: Sequence[PublishedPaper]) -> list[Instance]:
    """One instance per quantity that several tables state."""
    cells: dict[Key, list[tuple[PublishedPaper, PublishedRow]]] = {}
    for paper in papers:
        for row in paper.rows:
            cells.setdefault(row.identity, []).append((paper, row))
    return [_same(key, stated) for key, stated in cells.items() if len(stated) > 1]


def _same(key: Key, stated: Sequence[tuple[PublishedPaper, PublishedRow]]) -> Instance:
    # Summaries repeat a number with fewer digits, rounded or cut off.
    ends = [row.interval(cut=len({row.printed for _, row in stated}) > 1) for _, row in stated]
    agree = max(low for low, _ in ends) <= min(high for _, high in ends)
    numbers = " and ".join(f"{row.printed} ({paper.id}, {row.table})" for paper, row in stated)
    places = tuple(Place(paper.file, row.line) for paper, row in stated)
    fields = dict(zip(IDENTITY, key, strict=True))
    return Instance(stated[-1][0].id, SAME_CELL, fields, agree, numbers, places)


def _with_errata(one: Instance, papers: Sequence[PublishedPaper]) -> Instance:
    ids = tuple(e.id for paper in papers for e in paper.errata if _covers(paper, e, one))
    return Instance(one.paper, one.relation, one.fields, one.holds, one.numbers, one.places, ids)


def _covers(paper: PublishedPaper, erratum: Erratum, one: Instance) -> bool:
    """Whether an erratum speaks of an instance: same relation, same paper, and a selector that agrees."""
    if erratum.relation != one.relation or (one.relation != SAME_CELL and paper.id != one.paper):
        return False
    return any(_agrees(chosen, one.fields) for chosen in erratum.instances or ({},))


def _agrees(chosen: Selector, fields: Mapping[str, object]) -> bool:
    return all(fields.get(name) in values for name, values in chosen.items())


def _unrecorded(one: Instance) -> AssayError:
    return VerificationError(
        "B008", f"printed numbers contradict each other and no erratum says so: {one}", places=one.places,
        help=f"correct the number, or record `[[erratum]]` with relation = \"{one.relation}\"",
    )  # fmt: skip


def _void(paper: PublishedPaper, erratum: Erratum, found: Sequence[Instance]) -> list[AssayError]:
    """What is wrong with an erratum's claim: each of its selectors must cover instances, all of them broken."""
    errors: list[AssayError] = []
    place = Place(paper.file, erratum.line)
    judge: Callable[[Instance], bool] = lambda one: (
        one.relation == erratum.relation
        and (
            one.relation == SAME_CELL or one.paper == paper.id
        )
    )
    candidates = [one for one in found if judge(one)]
    for chosen in erratum.instances or ({},):
        covered = [one for one in candidates if _agrees(chosen, one.fields)]
        if not covered:
            errors.append(DescriptionError("B010", f"erratum `{erratum.id}` concerns no instance of "
                                           f"`{erratum.relation}`", places=[place]))  # fmt: skip
        errors += [
            VerificationError(
                "B009", f"erratum `{erratum.id}` names a relation that holds: {one}", places=[place]
            )
            for one in covered
            if one.holds
        ]
    return errors
