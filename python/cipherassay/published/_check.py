"""Checks of published data: a broken relation must be a recorded erratum, an erratum a broken relation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from cipherassay.errors import AssayError, DescriptionError, VerificationError
from cipherassay.published._instances import SAME_CELL, Instance, evaluate, same_cells
from cipherassay.published._schema import Erratum, PublishedPaper, Selector


def instances(papers: Sequence[PublishedPaper]) -> list[Instance]:
    """Evaluate every relation of every paper, and ``same-cell`` over all of them; errata are assigned.

    Raises
    ------
    DescriptionError
        ``B007`` an expression that cannot be evaluated; ``B010`` a relation that has not as many instances
        as it declares.
    """
    found = [one for paper in papers for relation in paper.relations for one in evaluate(paper, relation)]
    found += same_cells(papers)
    errata = [(paper, erratum) for paper in papers for erratum in paper.errata]
    return [replace(one, errata=tuple(e.id for p, e in errata if _covers(p, e, one))) for one in found]


def problems(papers: Sequence[PublishedPaper]) -> list[AssayError]:
    """Everything that is wrong with the papers' contradictions.

    The errors are ``B008`` (a relation breaks and no erratum says so), ``B009`` (an erratum names a relation
    that holds) and ``B023`` (an erratum that names no instance of a relation).
    """
    found = instances(papers)
    errors: list[AssayError] = [_unrecorded(one) for one in found if not one.holds and not one.errata]
    for paper in papers:
        for erratum in paper.errata:
            if erratum.relation:
                errors += _void(paper, erratum, found)
    return errors


def _speaks_of(paper: PublishedPaper, erratum: Erratum, one: Instance) -> bool:
    """Whether an erratum's relation is the instance's; ``same-cell`` belongs to all papers."""
    return erratum.relation == one.relation and (one.relation == SAME_CELL or paper.id == one.paper)


def _covers(paper: PublishedPaper, erratum: Erratum, one: Instance) -> bool:
    chosen = erratum.instances or ({},)
    return _speaks_of(paper, erratum, one) and any(_agrees(each, one.fields) for each in chosen)


def _agrees(chosen: Selector, fields: Mapping[str, object]) -> bool:
    return all(fields.get(name) in values for name, values in chosen.items())


def _unrecorded(one: Instance) -> AssayError:
    return VerificationError(
        "B008",
        f"printed numbers contradict each other and no erratum says so: {one}",
        places=one.places,
        help=f'correct the number, or record `[[erratum]]` with relation = "{one.relation}"',
    )


def _void(paper: PublishedPaper, erratum: Erratum, found: Sequence[Instance]) -> list[AssayError]:
    """What is wrong with an erratum's claim: each selector must cover instances, all of them broken."""
    errors: list[AssayError] = []
    candidates = [one for one in found if _speaks_of(paper, erratum, one)]
    for chosen in erratum.instances or ({},):
        covered = [one for one in candidates if _agrees(chosen, one.fields)]
        if not covered:
            message = f"erratum `{erratum.id}` concerns no instance of `{erratum.relation}`"
            errors.append(DescriptionError("B023", message, places=[erratum.place]))
        for one in covered:
            if one.holds:
                message = f"erratum `{erratum.id}` names a relation that holds: {one}"
                errors.append(VerificationError("B009", message, places=[erratum.place]))
    return errors
