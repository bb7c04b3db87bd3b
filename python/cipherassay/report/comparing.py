"""One number per cipher and platform: what one block, or one state, costs there at best, beside what is
published.

A platform is found in the rows: this machine, every modelled and small processor, gates of devices and of
S-boxes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from cipherassay import families, published, scanning
from cipherassay.errors import UsageError
from cipherassay.lang.shapes import SHAPES
from cipherassay.processors import base_name
from cipherassay.processors.requests import RECIPE
from cipherassay.published import same_processor
from cipherassay.report.data import ReportData
from cipherassay.results import Row

FORWARD: tuple[str, ...] = tuple(dict.fromkeys(shape.forward for shape in SHAPES))
"""What is compared: the work on one block or state, without the key setup."""
_CALLER, _ONE_KEY = "call to return", "for one key"
_OTHER_CODE = ("in RAM", "on the fly")
"""Published code of another kind: ours reads tables from flash or ROM, and round keys from RAM."""


@dataclass(frozen=True)
class Reference:
    """A number that ours is compared with: the row that has it, and how it is called."""

    value: float
    source: str
    row: Row | None = None
    ratio: float | None = None
    """Ours / theirs where one run measured both; else it follows from the values."""


@dataclass(frozen=True)
class Platform:
    """What ciphers cost somewhere: a row of ours per cipher, and what each is compared with."""

    name: str
    title: str
    metric: str
    unit: str
    rows: Mapping[str, Row]
    page: str
    """The page that has more of it."""
    references: Mapping[str, Reference] = field(default_factory=dict)
    published: bool = False
    """Whether a paper has numbers of it, for any cipher."""
    better: str = "lower"
    scale: float = 1.0
    """Its numbers are shown divided by this."""
    group: str = ""

    def value(self, cipher: str) -> float | None:
        """Return a cipher's number as it is shown."""
        row = self.rows.get(cipher)
        return None if row is None else row.value / self.scale

    def ratio(self, cipher: str) -> float | None:
        """Return ours / theirs of a cipher."""
        row, theirs = self.rows.get(cipher), self.references.get(cipher)
        if row is None or theirs is None or not theirs.value:
            return None
        return theirs.ratio if theirs.ratio is not None else row.value / theirs.value

    def rank(self, cipher: str) -> tuple[int, int] | None:
        """Return a cipher's place among those with a number, 1 the best; equal numbers share a place."""
        if cipher not in self.rows or len(self.rows) < 2:
            return None
        mine, sign = self.rows[cipher].value, -1 if self.better == "higher" else 1
        return 1 + sum(sign * row.value < sign * mine for row in self.rows.values()), len(self.rows)


def platforms(data: ReportData, ciphers: Sequence[str]) -> list[Platform]:
    """Return every platform with a number for one of the ciphers, those of software first."""
    found = [*_native(data, ciphers), *processors(data, ciphers), *_small(data, ciphers)]
    found += [*_hardware(data, ciphers), *_circuits(data, ciphers)]
    return [platform for platform in found if platform.rows]


def key_bits(data: ReportData, cipher: str) -> int | None:
    """Return the shortest key with which a cipher was measured here; None for what has no key."""
    sizes = {row.key_bits for row in data.rows if row.cipher == cipher and row.key_bits}
    return min(sizes, default=None)


def _native(data: ReportData, ciphers: Sequence[str]) -> Iterator[Platform]:
    rows = {}
    for cipher in ciphers:
        found = (data.ours(cipher, operation, key_bits(data, cipher)) for operation in FORWARD)
        row = next((one for one in found if one is not None), None)
        if row is not None:
            rows[cipher] = row
    references = {
        cipher: Reference(ours.reference, f"{ours.reference_source}, in one run with ours", ours, ours.ratio)
        for cipher, row in rows.items()
        if (ours := data.beside_libraries(cipher, row.operation or "", row.key_bits or 0)) and ours.reference
    }
    yield Platform(
        "native", "this machine", "cycles", "cycles", rows, "native", references, group="generated C"
    )


def processors(data: ReportData, ciphers: Sequence[str]) -> Iterator[Platform]:
    """Yield the modelled processors, those that studies are about first."""
    rows = [row for row in (*data.kernels, *data.elsewhere) if row.level == "processor"]
    studied = _studied(data)
    found = []
    for target in dict.fromkeys(row.target or "" for row in rows):
        own = _least([row for row in rows if row.target == target], ciphers)
        references = {cipher: one for cipher in own if (one := _published(data, own[cipher]))}
        if own:
            known = same_processor(target) in studied
            found.append(Platform(
                target, title_of(target), "cycles", "cycles", own, "processors", references, known,
                group="modelled processors",
            ))  # fmt: skip
    titles = [one.title for one in found]
    for platform in sorted(found, key=lambda one: not one.published):
        several = titles.count(platform.title) > 1  # models of one processor
        yield replace(platform, title=f"{platform.title}, {platform.name}") if several else platform


def _studied(data: ReportData) -> set[str]:
    """Return the processors of the papers that there is a study of; of several models of one machine the
    first."""
    studies = tuple(path.parent.name for path in scanning.STUDIES.glob("*/__init__.py"))
    printed = [row for row in data.published if row.metric == "cycles" and row.operation in FORWARD]
    of_studies = (row for row in printed if (row.reference_source or "").startswith(studies))
    found = {same_processor(row.target or "") for row in of_studies}
    models: dict[tuple[str, str], str] = {}
    for name, (paper, target) in published.modelled().items():
        if paper.id in studies:
            models.setdefault((paper.id, target), same_processor(name))
    others = {same_processor(name) for name in published.modelled()} - set(models.values())
    return (found | set(models.values())) - others


def title_of(target: str) -> str:
    """Return what a processor is called: its file's title without what follows a comma or colon.

    Of a model with settings, or without limits, these follow the title: ``IA-64++, infinite``.
    """
    try:
        title = families.family_of(target).entry(target).title
    except UsageError:
        base = base_name(target)
        return target if base == target else f"{title_of(base)}, {target[len(base) :].lstrip(' -')}"
    return re.split(r"[,:]", title)[0]


def _small(data: ReportData, ciphers: Sequence[str]) -> Iterator[Platform]:
    for target in dict.fromkeys(row.target or "" for row in data.embedded):
        own = _least([row for row in data.embedded if row.target == target], ciphers)
        references = {cipher: one for cipher in own if (one := _published(data, own[cipher]))}
        yield Platform(
            target, target.split(" (")[0], "cycles", "cycles", own, "small", references, True,
            group="small processors",
        )  # fmt: skip


def _hardware(data: ReportData, ciphers: Sequence[str]) -> Iterator[Platform]:
    from cipherassay.hardware.results.designs import Hardware, Point

    points: dict[str, list[Point]] = {}
    for name, found in Hardware(data.hardware).points.items():
        points.setdefault(name.cipher, []).extend(found)
    kinds: tuple[tuple[str, str, str, str, float, str, Callable[[Point], Row | None]], ...] = (
        ("area", "area_um2", "mm²", "smallest device", 1e6, "lower", lambda one: one.row("area_um2")),
        ("speed", "throughput_mbps", "Mbit/s", "fastest device", 1.0, "higher", lambda one: one.throughput()),
    )
    for kind, metric, unit, title, scale, better, chosen in kinds:
        best = min if better == "lower" else max
        rows = {
            cipher: best((row for one in points[cipher] if (row := chosen(one))), key=lambda row: row.value)
            for cipher in ciphers
            if cipher in points
        }
        printed = ((cipher, _published_device(data, cipher, metric, better)) for cipher in rows)
        references = {cipher: one for cipher, one in printed if one}
        yield Platform(
            f"gates-{kind}", title, metric, unit, rows, "hardware", references, True, better, scale,
            group="gates, 0.5 µm",
        )  # fmt: skip


def _published_device(data: ReportData, cipher: str, metric: str, better: str) -> Reference | None:
    end = "min" if better == "lower" else "max"
    found = [
        row for row in data.published
        if (row.level, row.cipher, row.metric, row.part) == ("hardware", cipher, f"{metric}_{end}", None)
    ]  # fmt: skip
    best = (min if better == "lower" else max)(found, key=lambda row: row.value, default=None)
    return None if best is None else Reference(best.value, best.reference_source or "", best)


def _circuits(data: ReportData, ciphers: Sequence[str]) -> Iterator[Platform]:
    """Yield the set of gates for which the most ciphers have circuits, by the gates of a cipher's largest
    S-box."""
    found: dict[str, dict[str, Row]] = {}
    for row in data.circuits:
        cipher = row.cipher or ""
        if row.metric == "gates" and (row.configuration or "").startswith("gates") and cipher in ciphers:
            own = found.setdefault(row.target or "", {})
            own[cipher] = max(own.get(cipher, row), row, key=lambda one: one.value)
    if not found:
        return
    target, rows = max(found.items(), key=lambda item: len(item[1]))
    references = {
        cipher: Reference(row.reference, row.reference_source or "", row)
        for cipher, row in rows.items()
        if row.reference
    }
    title = "largest S-box"
    yield Platform("s-box", title, "gates", "gates", rows, "circuits", references, bool(references),
                   group=f"circuit ({target})")  # fmt: skip


def _least(rows: Iterable[Row], ciphers: Sequence[str]) -> dict[str, Row]:
    """Return each cipher's fewest cycles of a block with its shortest key there, call overhead excluded."""
    found: dict[str, Row] = {}
    for row in rows:
        cipher = row.cipher or ""
        if (
            cipher in ciphers and row.metric == "cycles" and row.operation in FORWARD and not row.part
            and not row.variant and not (row.configuration or "").endswith((_CALLER, _ONE_KEY, RECIPE))
        ):  # fmt: skip
            known = found.get(cipher, row)
            found[cipher] = min(known, row, key=lambda one: (one.key_bits or 0, one.value))
    return {cipher: found[cipher] for cipher in ciphers if cipher in found}


def _published(data: ReportData, row: Row) -> Reference | None:
    """Return the best published number for the same work on the same processor."""
    if row.reference is not None:
        return Reference(row.reference, row.reference_source or "", row)
    names = {same_processor(row.target or ""), same_processor((row.target or "").split(" (")[0])}
    found = [
        one for one in data.published
        if (one.cipher, one.metric, one.operation) == (row.cipher, row.metric, row.operation)
        and same_processor(one.target or "") in names and not one.variant and not one.part
        and one.key_bits in (None, row.key_bits)
        and not any(kind in (one.configuration or "") for kind in _OTHER_CODE)
    ]  # fmt: skip
    best = min(found, key=lambda one: one.value, default=None)
    return None if best is None else Reference(best.value, best.reference_source or "", best)
