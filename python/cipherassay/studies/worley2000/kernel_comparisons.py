"""Kernels compared: the finalists ranked, what instructions are worth, both readings of the machine."""

from __future__ import annotations

from collections.abc import Sequence

from cipherassay.published import lookup
from cipherassay.report.elements.tables import (
    EMPTY,
    Cell,
    Column,
    Table,
    number_text,
    printed_text,
    row_cell,
)
from cipherassay.results import Row
from cipherassay.studies.worley2000.kernel_tables import NAMES, printed_cell
from cipherassay.studies.worley2000.kernels_shown import MACHINES, Kernels


def ranking(kernels: Kernels, ciphers: Sequence[str]) -> Table:
    """Return the ranking of the finalists by a rule, ours and the paper's."""
    rules = {
        "with the IA-64++ additions": "ia64pp",
        "without the IA-64++ additions": "mckinley-paper",
    }
    columns = [Column("cipher", text=True)]
    for title in (*rules, "memory", "parallelism"):
        columns += [Column(name, group=title) for name in ("figure", "rank", "paper")]
    finalists = [c for c in ciphers if lookup(paper="worley2000", table="ranking", cipher=c)]
    found = [{c: _value(kernels, c, target) for c in finalists} for target in rules.values()]
    found.append({c: _memory(kernels, c) for c in finalists})
    found.append({c: _parallelism(kernels, c) for c in finalists})
    ranks = [_ranks(one) for one in found]
    lines = [
        [Cell(c), *(cell for n, one in enumerate(found) for cell in _ranked(c, n, one[c], ranks[n]))]
        for c in finalists
    ]
    notes = [
        "The rule: performance by the cycles of encrypting one block, memory by the bytes of tables and code "
        "of encryption together, parallelism by operations / cycles on the processor without limits. "
        + _rule_on_paper()
    ]
    return Table("ranking", "The finalists ranked on IA-64", columns, lines, notes)


def _rule_on_paper() -> str:
    """Say whether the rule for performance gives the paper's ranking from the paper's own cycles."""
    from cipherassay.processors.references import printed

    ciphers = {row.cipher for row in lookup(paper="worley2000", table="ranking")}
    same = []
    for number, target in enumerate(("ia64pp", "mckinley-paper")):
        rows = {cipher: printed(cipher, "encrypt", target, key_bits=128) for cipher in ciphers}
        ranks = _ranks({cipher: row.value if row else None for cipher, row in rows.items()})
        same.append(all(_paper_rank(cipher, number) == rank for cipher, rank in ranks.items()))
    verb = "gives" if all(same) else "does not give"
    return f"Applied to the paper's own cycles, the rule for performance {verb} the paper's two rankings."


def _paper_rank(cipher: str, number: int) -> float | None:
    part, configuration = _PARTS[number]
    found = lookup(paper="worley2000", table="ranking", cipher=cipher, part=part, configuration=configuration)
    return found[0].value if found else None


def _value(kernels: Kernels, cipher: str, target: str) -> float | None:
    row = kernels.best(cipher, "encrypt", target)
    return None if row is None else row.value


def _memory(kernels: Kernels, cipher: str) -> float | None:
    """Return the least bytes of tables and code of encryption, straight or with loops."""
    sums = []
    for form in ("unrolled", "loop"):
        rows = [
            kernels.row(cipher, "encrypt", "mckinley-paper", metric, configuration=form)
            for metric in ("table_bytes", "code_bytes")
        ]
        sums += [sum(row.value for row in rows if row)] if all(rows) else []
    return min(sums, default=None)


def _parallelism(kernels: Kernels, cipher: str) -> float | None:
    row = kernels.row(cipher, "encrypt", "mckinley-paper-infinite", "ipc")
    return None if row is None else -row.value  # more is better


def _ranks(values: dict[str, float | None]) -> dict[str, int]:
    known = {name: value for name, value in values.items() if value is not None}
    return {name: 1 + sum(other < value for other in known.values()) for name, value in known.items()}


_PARTS = (
    ("performance", "with the IA-64++ additions"),
    ("performance", "without the IA-64++ additions"),
    ("memory", None),
    ("parallelism", None),
)


def _ranked(cipher: str, number: int, value: float | None, ranks: dict[str, int]) -> list[Cell]:
    figure = EMPTY if value is None else Cell(number_text(round(abs(value), 1)), number=abs(value))
    rank = Cell(str(ranks[cipher]), number=ranks[cipher]) if cipher in ranks else EMPTY
    printed = _paper_rank(cipher, number)
    return [
        figure,
        rank,
        Cell(printed_text(printed), number=printed, tone="muted") if printed is not None else EMPTY,
    ]


def worth(kernels: Kernels, ciphers: Sequence[str]) -> Table:
    """Return what each instruction of IA-64++ buys, alone and together."""
    from cipherassay.studies.worley2000.kernels import WORTH

    columns = [Column("cipher", text=True), Column("operation", text=True), Column("without", "cycles")]
    for title in (*WORTH, "all three"):
        columns += [Column("cycles", group=title), Column("difference", group=title)]
    columns += [Column("paper: without"), Column("with")]
    lines = []
    for cipher in ciphers:
        label = cipher
        for operation in ("encrypt", "decrypt", "key_setup_both"):
            base = kernels.row(cipher, operation, "mckinley-paper")
            found = [
                kernels.row(cipher, operation, "ia64pp", configuration=f"unrolled, {title} alone")
                for title in WORTH
            ] + [kernels.row(cipher, operation, "ia64pp")]
            line = [Cell(label), Cell(NAMES[operation]), row_cell(base)]
            for row in found:
                line += [row_cell(row), _less(row, base)]
            pages = [
                printed_cell(cipher, operation, target, "cycles") for target in ("mckinley-paper", "ia64pp")
            ]
            lines.append([*line, *pages])
            label = ""
    notes = ["Straight-line code on the paper's snapshot of IA-64 with each instruction alone; 128-bit keys."]
    title = "What the instructions of IA-64++ are worth"
    return Table("ia64pp-worth", title, columns, lines, notes, dense=True)


def _less(row: Row | None, base: Row | None) -> Cell:
    if row is None or base is None:
        return EMPTY
    value = row.value - base.value
    return Cell(
        f"{value:+g}" if value else "0", row, value, "good" if value < 0 else "bad" if value > 0 else ""
    )


def readings(kernels: Kernels, ciphers: Sequence[str]) -> Table:
    """Return the readings of the shifter, of shrp and of the ALU to multimedia latency side by side."""
    targets = {
        name: sorted({row.target or "" for row in kernels.rows if (row.target or "").split(" ")[0] == name})
        for name in ("mckinley-paper", "mckinley")
    }
    columns = [Column("cipher", text=True), Column("operation", text=True)]
    for name, found in targets.items():
        columns += [Column(_reading(target), group=MACHINES[name]) for target in found]
    columns += [Column("the paper")]
    lines = []
    for cipher in ciphers:
        label = cipher
        for operation in ("encrypt", "decrypt", "key_setup_both"):
            cells = [
                row_cell(kernels.row(cipher, operation, target))
                for found in targets.values()
                for target in found
            ]
            lines.append(
                [
                    Cell(label),
                    Cell(NAMES[operation]),
                    *cells,
                    printed_cell(cipher, operation, "mckinley-paper", "cycles"),
                ]
            )
            label = ""
    notes = [
        "Cycles of straight-line code. The sources leave open how many cycles a multimedia instruction waits "
        "for an ALU's result, and the documented McKinley has one port for extract, deposit and shifts of "
        "pairs (shrp) where the paper's snapshot behaves as if it had two. As modelled: "
        f"{'; '.join(f'{MACHINES[name]}: {_modelled(name)}' for name in targets)}. The other columns change "
        "one reading each; their kernels are those chosen for the machine as modelled, so that a search for "
        "the other reading may find shorter ones."
    ]
    return Table("readings", "Both readings of the machine", columns, lines, notes, dense=True)


_WORDS = {"alu_to_multimedia": "ALU to multimedia {}", "shrp_ports": "shrp on {}"}


def _reading(target: str) -> str:
    parameter, _, value = target.partition(" ")[2].partition("=")
    return _WORDS[parameter].format(value) if parameter else "as modelled"


def _modelled(name: str) -> str:
    from cipherassay import processors

    known = {one["name"]: one["value"] for one in processors.document(processors.load(name))["parameters"]}
    return ", ".join(text.format(known[parameter]) for parameter, text in _WORDS.items())


def contradictions() -> Table:
    """Return what the paper contradicts itself in."""
    from cipherassay.published import paper as find

    columns = [Column("where", text=True), Column("printed", text=True), Column("what follows", text=True)]
    lines = [[Cell(one.where), Cell(one.printed), Cell(one.follows)] for one in find("worley2000").errata]
    return Table("contradictions", "Where the paper contradicts itself", columns, lines)


def refusals(kernels: Kernels) -> list[Table]:
    """Return the kernels that could not be made, with the reasons."""
    if not kernels.refused:
        return []
    columns = [Column(name, text=True) for name in ("cipher", "operation", "processor", "code", "reason")]
    lines = [
        [
            Cell(" ".join(word for word in (row.cipher, row.variant) if word)),
            Cell(NAMES.get(row.operation or "", row.operation or "")),
            Cell(MACHINES.get(row.target or "", row.target or "")), Cell(row.configuration or ""),
            Cell(row.certificate or "", row),
        ]
        for row in kernels.refused
    ]  # fmt: skip
    return [Table("kernels-refused", "Kernels that could not be made", columns, lines, dense=True)]
