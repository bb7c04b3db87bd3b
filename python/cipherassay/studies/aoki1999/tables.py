"""Tables of the NTT paper's section: layouts of tables, runs of the key schedule, ciphers by platforms."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields

from cipherassay import processors, published
from cipherassay.layouts import Cost
from cipherassay.layouts.widths import FAMILY
from cipherassay.report.data import KEY_BITS, ReportData
from cipherassay.report.elements.section import Fold
from cipherassay.report.elements.tables import EMPTY, Cell, Column, Table, ratio_cell, ratio_text, row_cell
from cipherassay.results import Row

PAPER = "aoki1999"
COUNTED = {
    "table_bytes": "table bytes", "references": "lookups", "xors": "XORs", "masks": "masks",
    "shifts": "shifts", "rotations": "rotations",
}  # fmt: skip
"""What the paper counts of a layout."""
_PRINTED = {"lookups": "references", "word_xors": "xors"}
_REST = {"narrow_references": "narrow", "misaligned_references": "misaligned"}
Counts = Mapping[str, Row]
Fronts = Mapping[int, Mapping[str, Counts]]


def layouts(data: ReportData) -> list[Table | Fold]:
    """Return the paper's layouts beside ours, and our whole fronts; nothing if no front was searched."""
    known = _fronts(row for row in data.of_study("layouts") if not row.level)
    if not known:
        return []
    alone = {bits: {n: c for n, c in of.items() if n.startswith(FAMILY)} for bits, of in known.items()}
    fronts = {bits: {n: c for n, c in of.items() if n not in alone[bits]} for bits, of in known.items()}
    times = {row.configuration or "": row for row in data.of_study("layouts") if row.level == "native"}
    spaces = [f"{bits}-bit words: the {_space(fronts[bits])}." for bits in sorted(fronts, reverse=True)]
    whole = _layouts("front", "Our layouts: the whole fronts", fronts, times, spaces)
    found: list[Table | Fold] = [_compared(data, fronts)]
    if any(alone.values()):
        found.append(_layouts("entries", "S-box-only tables, by entry width (3.2.1)", alone, times, [_ALONE]))
    return [*found, Fold(whole.title, [whole])]


def _fronts(rows: Iterable[Row]) -> dict[int, dict[str, Counts]]:
    """Return by word width the layouts by name, each its rows by metric."""
    found: dict[int, dict[str, dict[str, Row]]] = {}
    for row in rows:
        bits = int("".join(c for c in row.target or "" if c.isdigit()))
        found.setdefault(bits, {}).setdefault(row.configuration or "", {})[row.metric] = row
    return {bits: dict(front) for bits, front in sorted(found.items())}


def _theirs(data: ReportData) -> dict[int, dict[str, Counts]]:
    found: dict[int, dict[str, dict[str, Row]]] = {}
    for row in data.published:
        if (row.reference_source or "").startswith(PAPER) and row.part == "P(S(x))":
            words, _, name = (row.configuration or "").partition("-bit, ")
            metric = _PRINTED.get(row.metric, row.metric)
            if metric in COUNTED:
                found.setdefault(int(words), {}).setdefault(name, {})[metric] = row
    return {bits: dict(of) for bits, of in found.items()}


def _cost(counts: Counts) -> Cost:
    return Cost(**{f.name: int(counts[f.name].value) if f.name in counts else 0 for f in fields(Cost)})


def operations(cost: Cost) -> int:
    """Return all operations of a layout."""
    return cost.references + cost.xors + cost.masks + cost.shifts + cost.rotations


def _compared(data: ReportData, fronts: Mapping[int, Mapping[str, Counts]]) -> Table:
    columns = [Column("words", "bits"), Column("the paper's layout", text=True)]
    columns += [Column(title, group="theirs") for title in COUNTED.values()]
    columns += [Column("it is", text=True)]
    columns += [Column(title, group="ours") for title in COUNTED.values()]
    columns += [Column(title, group="ours / theirs") for title in ("bytes", "operations")]
    lines = []
    for bits, theirs in sorted(_theirs(data).items(), reverse=True):
        for name, counts in theirs.items():
            cost = _cost(counts)
            place, ours = _place(fronts.get(bits, {}), cost)
            cells = [Cell(str(bits), number=bits), Cell(name), *_counts(counts), Cell(place)]
            lines.append([*cells, *(_counts(ours) if ours else [EMPTY] * 6), *_ratios(ours, cost)])
    notes = [
        "Tables of the second S-box layer, 4096 bytes, are part of the sizes with 32-bit words, as in the "
        "paper. For dominated layouts: our cheapest layout that is no worse in any metric. "
        "Operations: all counted.",
    ]
    return Table(
        "ntt-layouts", "Substitution and permutation by tables (3.2.5)", columns, lines, notes, dense=True
    )


def _place(front: Mapping[str, Counts], cost: Cost) -> tuple[str, Counts | None]:
    """Return where a cost of the paper stands, and the layout of ours to set beside it."""
    known = [(_cost(counts), counts) for counts in front.values()]
    same = [counts for one, counts in known if one == cost]
    if same:
        return "on our front", same[0]
    within = [(n, one) for n, (one, _) in enumerate(known) if one.is_within(cost)]
    better = [(operations(one), one.table_bytes, n) for n, one in within]
    return ("beaten", known[min(better)[2]][1]) if better else ("not reached", None)


def _counts(counts: Counts) -> list[Cell]:
    return [row_cell(counts[m]) if m in counts and counts[m].value else EMPTY for m in COUNTED]


def _ratios(ours: Counts | None, theirs: Cost) -> list[Cell]:
    if ours is None:
        return [EMPTY, EMPTY]
    cost = _cost(ours)
    pairs = [(cost.table_bytes, theirs.table_bytes), (operations(cost), operations(theirs))]
    row = ours["table_bytes"]
    return [Cell(ratio_text(a / b), row, a / b, note=f"{a} by {b}") for a, b in pairs]


_ALONE = "The linear layer follows on words. Pairs: two bytes are one index, as the paper has it for Java."


def _layouts(name: str, title: str, fronts: Fronts, times: Counts, notes: Sequence[str]) -> Table:
    """Return layouts with what is counted of them, and their times in Java as far as there are any."""
    columns = [Column("words", "bits"), Column("family", text=True)]
    columns += [Column(title) for title in COUNTED.values()]
    columns += [Column(rest, "look-ups") for rest in _REST.values()]
    columns += [Column("Java, compiled", "ns", "this machine")]
    lines = []
    for bits, front in sorted(fronts.items(), reverse=True):
        for layout, counts in front.items():
            rest = [row_cell(counts[m]) if counts[m].value else EMPTY for m in _REST]
            time = row_cell(times.get(f"words of {bits} bits, {layout}, java-jit"))
            family = layout.partition(":")[0]
            lines.append([Cell(str(bits), number=bits), Cell(family), *_counts(counts), *rest, time])
    said = [
        "Every layout was compared with the layer, byte by byte and on random inputs (docs/layouts.md).",
        "Java: one evaluation, each of the result before; a dash: not measured "
        "(`assay study layout e2 --java`).",
    ]
    return Table(f"ntt-layouts-{name}", title, columns, lines, [*said, *notes], dense=True)


def _space(front: Mapping[str, Counts]) -> str:
    """Return what the rows say of the space that was searched."""
    return "; ".join(sorted({row.certificate or "" for counts in front.values() for row in counts.values()}))


def calls(data: ReportData) -> list[Table]:
    """Return the paper's Table 3, for all key sizes; nothing if nothing was counted."""
    if not data.of_study("calls"):
        return []
    theirs = _by_calls(r for r in data.published if (r.reference_source or "").startswith(PAPER))
    ours = _by_calls(data.of_study("calls"))
    columns = [Column("runs of the key schedule"), Column("the paper, 128 bits", "bytes", "RAM at least")]
    columns += [Column(f"{bits} bits", "bytes", "RAM at least") for bits in KEY_BITS]
    columns += [Column("ours / theirs")]
    lines = []
    for count in sorted({c for _, c in (*theirs, *ours)}, reverse=True):
        paper = theirs.get((128, count))
        cells = [row_cell(paper), *(row_cell(ours.get((bits, count))) for bits in KEY_BITS)]
        lines.append([Cell(str(count), number=count), *cells, ratio_cell(ours.get((128, count)), paper)])
    notes = ["Counted from the program: block, key, what the key schedule keeps, round keys kept."]
    title = "Table 3: runs of the key schedule for an encryption with little RAM"
    return [Table("ntt-table-3", title, columns, lines, notes)]


def _by_calls(rows: Iterable[Row]) -> dict[tuple[int, int], Row]:
    """Return the rows of RAM by key size and runs, which a row of the same configuration counts."""
    known = [row for row in rows if row.level == "embedded" and row.cipher == "E2"]
    runs = {(r.key_bits, r.configuration): int(r.value) for r in known if r.metric == "calls"}
    return {
        (r.key_bits or 0, runs[r.key_bits, r.configuration]): r
        for r in known
        if r.metric == "ram_bytes" and (r.key_bits, r.configuration) in runs
    }


OPERATIONS = {
    "key setup": ("key_setup_both", "key_setup_encrypt"),
    "encryption": ("encrypt",),
    "decryption": ("decrypt",),
}
"""Operations by what the report calls them; one key setup for both directions may have either name."""
_PASSED_OVER = ("call to return", "the paper's recipe", "for one key")
"""Ends of configurations that are no best code: with what a caller does, by another's recipe, for one key."""


def platforms(data: ReportData) -> list[Table]:
    """Return every cipher's cycles on every platform with rows; nothing if there is none."""
    found = best(elsewhere(data))
    names = list(dict.fromkeys(name for name, _, _ in found))
    ciphers = [c for c in data.strategies if any(c == cipher for _, cipher, _ in found)]
    if not names:
        return []
    columns = [Column("platform", text=True), Column("operation", text=True)]
    columns += [Column(cipher, "cycles") for cipher in ciphers]
    lines = []
    for name in names:
        for number, operation in enumerate(OPERATIONS):
            rows = [found.get((name, cipher, operation)) for cipher in ciphers]
            least = min((row.value for row in rows if row), default=None)
            cells = [row_cell(r, tone="best" if r and r.value == least else "") for r in rows]
            lines.append([Cell("" if number else name), Cell(operation), *cells])
    notes = [
        "Minimum cycles of our code, 128-bit key, excluding call overhead; the best of each row in bold. "
        "Key setup is that of both directions. Where a dash stands, there is no such code yet, "
        "or it was not measured here (assay measure -p java-jit)."
    ]
    title = f"{len(ciphers)} ciphers on {len(names)} platforms"
    return [Table("ntt-platforms", title, columns, lines, notes, dense=True)]


def elsewhere(data: ReportData) -> list[Row]:
    """Return the rows of this table's platforms: all but this machine's C and processors of other papers."""
    models = published.modelled()
    others = {name for name, (paper, _) in models.items() if paper.id != PAPER}
    kernels = [row for row in data.kernels if processors.base_name(row.target or "") not in others]
    return [*data.embedded, *kernels, *data.elsewhere]


def best(rows: Iterable[Row]) -> dict[tuple[str, str, str], Row]:
    """Return the least cycles by platform, cipher and operation, of the shortest keys and usual variants."""
    found: dict[tuple[str, str, str], Row] = {}
    order = {one: (name, n) for name, all_ in OPERATIONS.items() for n, one in enumerate(all_)}
    chosen = [r for r in rows if r.metric == "cycles" and r.key_bits == 128 and not r.variant]
    for row in chosen:
        passed = (row.configuration or "").endswith(_PASSED_OVER)
        if row.operation not in order or passed or _of_another(row):
            continue
        name, rank = order[row.operation]
        key = (platform(row), row.cipher or "", name)
        before = found.get(key)
        if before is None or (rank, row.value) < (order[before.operation or ""][1], before.value):
            found[key] = row
    return found


def _of_another(row: Row) -> bool:
    """Say whether the row is of a library that was measured beside ours."""
    return row.level == "native" and not row.strategy


def platform(row: Row) -> str:
    """Return what the table calls a row's platform: Java by how it runs, others by their target."""
    if row.level == "native":
        target, _, _ = (row.configuration or "").partition(",")
        return NAMES.get(target, target)
    return NAMES.get(row.target or "", (row.target or "").split(" (")[0])


NAMES = {
    "java-jit": "Java, compiled (this machine)", "java-interpreted": "Java, interpreted (this machine)",
    "alpha-21164a": "Alpha 21164A", "pentium-pro": "Pentium Pro", "pentium-ii": "Pentium II",
}  # fmt: skip
"""Platforms whose rows name them otherwise than people do; others are called as their rows do."""
