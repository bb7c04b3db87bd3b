"""The overview's matrix: every cipher on every platform that papers and people ask about, in one table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from cipherassay.report.comparing import Platform, platforms
from cipherassay.report.data import ReportData
from cipherassay.report.elements.section import Block, Section
from cipherassay.report.elements.tables import EMPTY, Cell, Column, Table, number_text, ratio_text
from cipherassay.report.pages import path_of

ORDER = 1
PAGE = "overview"


def section(data: ReportData) -> Section | None:
    """Return the section, if anything was measured or made."""
    ciphers = [*data.ciphers, *data.permutations]
    shown = shown_platforms(platforms(data, ciphers))
    if not shown:
        return None
    pending = [f"This report is not complete yet; still to come: {', '.join(data.pending)}."]
    blocks: list[Block] = [*(pending if data.pending else []), *_words(shown), _table(shown, ciphers)]
    return Section("matrix", "Every cipher, every platform", blocks, label="Matrix")


def shown_platforms(found: Sequence[Platform]) -> list[Platform]:
    """Return the platforms of the overview: this machine, and those of which something is published."""
    return [one for one in found if one.published or one.name == "native"]


def _words(shown: Sequence[Platform]) -> list[str]:
    """Say in a sentence which cipher is first where."""
    firsts: dict[str, list[str]] = {}
    for platform in shown:
        for cipher in platform.rows:
            rank = platform.rank(cipher)
            if rank is not None and rank[0] == 1:
                firsts.setdefault(cipher, []).append(platform.title)
    order = sorted(firsts.items(), key=lambda item: -len(item[1]))
    told = [
        f"{cipher} leads on {len(names)} of {len(shown)} platforms: {_listed(names)}."
        for cipher, names in order
    ]
    return [" ".join(told)] if told else []


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _table(shown: Sequence[Platform], ciphers: Sequence[str]) -> Table:
    columns = [Column("cipher", text=True)]
    columns += [Column(p.title, p.unit, p.group, link=path_of(p.page)) for p in shown]
    lines = [
        [Cell(cipher), *(cell(platform, cipher) for platform in shown)]
        for cipher in ciphers
        if any(cipher in platform.rows for platform in shown)
    ]
    title = "Cost of one block on every platform"
    return Table("matrix", title, columns, lines, list(_notes(shown)), dense=True)


def cell(platform: Platform, cipher: str) -> Cell:
    """Return a number with its rank, below it the ratio to what is published."""
    value, ratio = platform.value(cipher), platform.ratio(cipher)
    if value is None:
        return EMPTY
    row, theirs = platform.rows[cipher], platform.references.get(cipher)
    rank = platform.rank(cipher)
    words = [f"Rank {rank[0]} of {rank[1]} on {platform.title}."] if rank else []
    if theirs is not None and ratio is not None:
        its = number_text(theirs.value / platform.scale, platform.unit)
        words.append(f"Compared with {its} {platform.unit}: {theirs.source}.")
    under = f"{ratio_text(ratio)}×" if ratio is not None else ""
    return Cell(number_text(value, platform.unit), row, value, note=" ".join(words), under=under, rank=rank)


def _notes(shown: Sequence[Platform]) -> Iterator[str]:
    yield (
        "One block (or one state) with the cipher's shortest key, key setup excluded: median cycles on this "
        "machine, "
        "the fewest simulated cycles of any code for a processor. The darker a cell, the better its rank in "
        "the column."
    )
    yield (
        "Below a number: ours / published, of the best published number for the same work on the same "
        "processor; on "
        "this machine, ours / the fastest library of the same run; for gates, our best device / the paper's "
        "best. "
        "Less than 1 is better for ours, but for throughput."
    )
    if any(platform.name == "s-box" for platform in shown):
        yield "S-box: the largest of the cipher's S-boxes with a known circuit; – where there is none."
