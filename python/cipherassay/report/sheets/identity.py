"""What a cipher is: its sizes and structure, where it is from, and the operations of its description."""

from __future__ import annotations

from collections.abc import Iterator

from cipherassay import ciphers
from cipherassay.report.data import ReportData
from cipherassay.report.elements.section import Block, Section
from cipherassay.report.elements.tables import EMPTY, Cell, Column, Table, number_text
from cipherassay.report.sheets import file_name

ORDER = 10


def section(data: ReportData, cipher: str) -> Section | None:
    """Return the section; None of a cipher whose file is not among the project's."""
    described = data.cipher(cipher)
    if described is None:
        return None
    blocks: list[Block] = [_facts(data, described), *_operations(described)]
    return Section("identity", "What it is", blocks)


def _facts(data: ReportData, cipher: ciphers.Cipher) -> Table:
    sizes = [bits for bits in cipher.key_bits if bits]
    facts = {
        "structure": cipher.structure,
        "block": f"{cipher.block_bits} bits",
        "tweak": f"{cipher.tweak_bits} bits" if cipher.tweak_bits else "",
        "keys": f"{', '.join(map(str, sizes))} bits" if sizes else "none",
        "variants": ", ".join(cipher.variants),
        "source": cipher.source,
        "default strategy": data.strategies[cipher.name],
    }
    lines = [[Cell(what), Cell(words)] for what, words in facts.items() if words]
    columns = [Column("what", text=True), Column("value", text=True)]
    return Table(f"sheet-{file_name(cipher.name)}-facts", "Facts", columns, lines)


def _operations(cipher: ciphers.Cipher) -> Iterator[Table]:
    """Yield the operations that the description's program executes, by function, with the shortest key."""
    program = cipher.compile(cipher.key_bits[0])
    functions = {one["name"]: program.statistics(one["name"]) for one in program.functions()}
    kinds = sorted({kind for counts in functions.values() for kind in counts})
    columns = [Column("operation", text=True)]
    columns += [Column(name.replace("_", " "), "", "executed") for name in functions]

    def count(name: str, kind: str) -> Cell:
        number = functions[name][kind]["dynamic"] if kind in functions[name] else 0
        return Cell(number_text(number), number=number) if number else EMPTY

    lines = [[Cell(kind.replace("_", " ")), *(count(name, kind) for name in functions)] for kind in kinds]
    sums = [sum(counts[kind]["dynamic"] for kind in counts) for counts in functions.values()]
    lines.append([Cell("sum"), *(Cell(number_text(one), number=one) for one in sums)])
    notes = ["Counted in the program of the description as written, before any pass, with the shortest key."]
    yield Table(f"sheet-{file_name(cipher.name)}-operations", "Operations", columns, lines, notes, totals=1)
