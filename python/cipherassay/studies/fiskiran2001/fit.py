"""The study of addressing modes beside the printed one: differences, a search of assumptions, their weight.

One set of assumptions serves all ciphers and processors; nothing is fitted to a cell or to a cipher.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from cipherassay import ciphers
from cipherassay.console.progress import job_progress
from cipherassay.jobs import Place, each
from cipherassay.results import Row
from cipherassay.results.published import published_rows
from cipherassay.studies.fiskiran2001 import addressing
from cipherassay.studies.fiskiran2001.addressing import CHOICES, FIRST, MODES, Assumptions, Study

SOURCE = "fiskiran2001"
SEARCHED = ("strategy", "ties", "index", "keys", "load_latency")
"""What the search varies beside the latency of load.ex.sc (of a load, or one cycle more) and the overhead."""


@cache
def _printed() -> Mapping[tuple[str, str, str], Row]:
    rows = [row for row in published_rows() if (row.reference_source or "").startswith(SOURCE)]
    return {
        (row.cipher or "", row.target or "", row.configuration or ""): row
        for row in rows
        if row.metric == "speedup"
    }


def printed_row(cipher: str, width: int, ports: int, mode: str) -> Row | None:
    """Return the paper's speedup as a row, None where it has none."""
    return _printed().get((cipher, addressing.target(width, ports), MODES[mode]))


def printed(cipher: str, width: int, ports: int, mode: str) -> float | None:
    """Return the paper's speedup, None where it has none."""
    row = printed_row(cipher, width, ports, mode)
    return None if row is None else row.value


def printed_ciphers() -> list[str]:
    """Return the ciphers of the paper's tables."""
    return sorted({cipher for cipher, _, _ in _printed()})


def printed_machines() -> list[tuple[int, int]]:
    """Return width and memory ports of the processors of the paper's tables."""
    known = {target for _, target, _ in _printed()}
    return [machine for machine in addressing.MACHINES if addressing.target(*machine) in known]


def differences(study: Study) -> list[float]:
    """Return ours less theirs for every speedup that the paper prints."""
    return [
        study.speedup(width, ports, mode) - theirs
        for width, ports, mode in study.cells
        if mode != FIRST and (theirs := printed(study.cipher, width, ports, mode)) is not None
    ]


def root_mean_square(numbers: Sequence[float]) -> float:
    """Return the root of the mean of the squares."""
    return math.sqrt(sum(n * n for n in numbers) / len(numbers))


@dataclass(frozen=True)
class Fit:
    """How well a set of assumptions gives the printed speedups: root mean squares of the differences."""

    assumptions: Assumptions
    by_cipher: Mapping[str, float]
    together: float

    def document(self) -> dict[str, Any]:
        """Return it for JSON."""
        values = {name: value for name, value, _ in self.assumptions.lines()}
        return {"assumptions": values, "rms": {**self.by_cipher, "together": self.together}}


@dataclass(frozen=True)
class Change:
    """One assumption changed alone."""

    name: str
    value: str
    fit: Fit

    def document(self) -> dict[str, Any]:
        """Return it for JSON."""
        return {"changed": self.name, "to": self.value, "rms": self.fit.document()["rms"]}


def fit_of(studies: Sequence[Study]) -> Fit | None:
    """Return the fit of studies; None if the paper prints nothing of them."""
    found = {study.cipher: differences(study) for study in studies}
    found = {name: one for name, one in found.items() if one}
    if not found:
        return None
    every = [d for one in found.values() for d in one]
    by_cipher = {name: root_mean_square(one) for name, one in found.items()}
    return Fit(studies[0].assumptions, by_cipher, root_mean_square(every))


def fit(assumptions: Assumptions) -> Fit:
    """Compare all the printed speedups with those under a set of assumptions."""
    (one,) = _fits_of((assumptions, (assumptions.overhead,)))
    return one


def _fits_of(task: tuple[Assumptions, Sequence[int]]) -> list[Fit]:
    """Return the fits under a set of assumptions with several overheads."""
    assumptions, overheads = task
    machines = printed_machines()
    studies = [
        addressing.study(ciphers.load(name.lower()), assumptions, machines) for name in printed_ciphers()
    ]
    fits = (fit_of([study.with_overhead(operations) for study in studies]) for operations in overheads)
    return [one for one in fits if one is not None]


def sets() -> list[Assumptions]:
    """Return the sets of assumptions that the search tries, in order, without the overheads."""
    found = []
    for values in itertools.product(*(CHOICES[name][1] for name in SEARCHED)):
        settings: dict[str, Any] = dict(zip(SEARCHED, values, strict=True))
        latency = settings["load_latency"]
        combined = (latency, latency + 1)
        found += [replace(Assumptions(), **settings, load_extract_scale_latency=n) for n in combined]
    return found


def fits(wanted: Sequence[tuple[Assumptions, Sequence[int]]], title: str, quiet: bool = False) -> list[Fit]:
    """Return the fits of sets with their overheads, found on all cores, in order."""
    with job_progress(title, quiet=quiet) as bar:
        found = each(_fits_of, wanted, lambda one: title, where=Place.PROCESS, progress=bar)
    return [fit for some in found for fit in some]


def search(quiet: bool = False) -> list[Fit]:
    """Return the fits of all sets, the best first."""
    overheads = [int(n) for n in CHOICES["overhead"][1]]
    found = fits([(one, overheads) for one in sets()], "assumptions", quiet)
    return sorted(found, key=lambda one: one.together)


def sensitivity(start: Assumptions | None = None, quiet: bool = False) -> list[Change]:
    """Return the fits with each assumption alone changed to each other value that it can have."""
    chosen = start or Assumptions()
    changes = []
    for name, value, _ in chosen.lines():
        others = [str(other) for other in CHOICES[name][1] if str(other) != value]
        changes += [(name, other) for other in others]
    wanted = [chosen, *(chosen.changed(name, value) for name, value in changes)]
    found = fits([(one, (one.overhead,)) for one in wanted], "sensitivity", quiet)
    labels = [("none", ""), *changes]
    return [Change(name, value, one) for (name, value), one in zip(labels, found, strict=True)]


def rows_of(study: Study) -> list[Row]:
    """Return cycles and speedups of a study as rows, the paper's as their references."""
    found = [
        _row(study, width, ports, FIRST, "look_up_share", study.share(width, ports))
        for width, ports in study.machines
    ]
    for (width, ports, mode), cell in study.cells.items():
        found.append(_row(study, width, ports, mode, "cycles", cell.cycles))
        theirs = printed_row(study.cipher, width, ports, mode)
        found.append(_row(study, width, ports, mode, "speedup", study.speedup(width, ports, mode), theirs))
    return found


def _row(
    study: Study, width: int, ports: int, mode: str, metric: str, value: float, theirs: Row | None = None
) -> Row:
    slug = study.cipher.lower()
    return Row(
        cipher=study.cipher,
        operation="encrypt",
        key_bits=128,
        strategy=study.assumptions.strategy,
        level="processor",
        target=addressing.target(width, ports),
        configuration=MODES[mode],
        metric=metric,
        value=value,
        basis="simulated",
        reference=theirs.value if theirs else None,
        reference_source=theirs.reference_source if theirs else None,
        tools="; ".join(f"{name} {setting}" for name, setting, _ in study.assumptions.lines()),
        command=f"assay study addressing {slug} --width {width} --memory-ports {ports}",
    )
