"""Kernels beside each other: straight-line code and loops, longer keys, the paper's recipe, no limits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from cipherassay.processors.kernel import SMALL
from cipherassay.report.elements.tables import EMPTY, Cell, Column, Table, number_text, ratio_cell, row_cell
from cipherassay.results import Row
from cipherassay.studies.worley2000.kernel_tables import (
    FITTED_NOTE,
    NAMES,
    certificate,
    difference,
    paper,
    printed_cell,
)
from cipherassay.studies.worley2000.kernels_shown import MACHINES, Kernels

SHOWN = ("encrypt", "decrypt", "key_setup_both", "key_setup_encrypt")
INFINITE = "-infinite"


def key_sizes(kernels: Kernels, ciphers: Sequence[str]) -> list[Table]:
    """Return the cycles with each key size, of the operations that depend on it."""
    sizes = sorted({row.key_bits for row in kernels.rows if row.key_bits})
    if len(sizes) < 2:
        return []
    columns = [Column(name, text=True) for name in ("cipher", "operation", "processor")]
    columns += [
        Column(title, group=f"{bits} bits") for bits in sizes for title in ("cycles", "bound", "bytes")
    ]
    lines: list[list[Cell]] = []
    for cipher in ciphers:
        label = cipher
        for operation in SHOWN:
            for target in MACHINES:
                found = [kernels.best(cipher, operation, target, key_bits=bits) for bits in sizes]
                if any(found[1:]):
                    cells = [cell for row in found for cell in _sized(kernels, row)]
                    lines.append([Cell(label), Cell(NAMES[operation]), Cell(MACHINES[target]), *cells])
                    label = ""
    notes = [
        "The faster of straight-line code and code with loops. Operations whose code is that of 128-bit keys "
        "are left out: most ciphers encrypt and decrypt alike with every key size."
    ]
    return [Table("processor-key-sizes", "Longer keys", columns, lines, notes, dense=True)]


def _sized(kernels: Kernels, row: Row | None) -> list[Cell]:
    if row is None:
        return [EMPTY, EMPTY, EMPTY]
    bound = (
        EMPTY
        if row.bound is None
        else Cell(number_text(row.bound), row, row.bound, note=row.certificate or "")
    )
    return [row_cell(row), bound, row_cell(_sibling(kernels, row, "code_bytes"))]


def _sibling(kernels: Kernels, row: Row, metric: str) -> Row | None:
    """Return another metric of a row's kernel."""
    return kernels.row(
        row.cipher or "", row.operation or "", row.target or "", metric,
        variant=row.variant or "", configuration=row.configuration or "", key_bits=row.key_bits or 0,
    )  # fmt: skip


def forms(kernels: Kernels, ciphers: Sequence[str]) -> Table:
    """Return cycles and bytes of straight-line code and of code with loops."""
    columns = [Column(name, text=True) for name in ("cipher", "operation", "processor")]
    columns += [
        Column(title, group=group) for group in ("straight", "loops") for title in ("cycles", "bytes")
    ]
    columns += [Column("cycles", group="loops by straight"), Column("bytes", group="loops by straight")]
    columns += [Column("cycles", group="smallest loops"), Column("bytes", group="smallest loops")]
    columns += [Column("cycles", group="the paper"), Column("bytes", group="the paper")]
    lines: list[list[Cell]] = []
    for cipher in ciphers:
        label = cipher
        for operation in SHOWN:
            for target in ("mckinley-paper", "ia64pp", "pa8500"):
                line = _form_line(kernels, cipher, operation, target)
                if line:
                    lines.append([Cell(label), Cell(NAMES[operation]), Cell(MACHINES[target]), *line])
                    label = ""
    notes = [
        "All are whole operations with 128-bit keys; bytes as assembled. Loops "
        "are those of the fewest cycles; the smallest ones, where they were searched, of the fewest bytes."
    ]
    return Table("straight-and-loops", "Straight-line code and loops", columns, lines, notes, dense=True)


def _form_line(kernels: Kernels, cipher: str, operation: str, target: str) -> list[Cell]:
    found = {
        (form, metric): kernels.row(cipher, operation, target, metric, configuration=form)
        for form in ("unrolled", "loop")
        for metric in ("cycles", "code_bytes")
    }
    if not any(found.values()):
        return []
    ratios = [ratio_cell(found["loop", m], found["unrolled", m]) for m in ("cycles", "code_bytes")]
    printed = [printed_cell(cipher, operation, target, m) for m in ("cycles", "code_bytes")]
    small = [kernels.row(cipher, operation, target, m, configuration=SMALL) for m in ("cycles", "code_bytes")]
    return [*(row_cell(row) for row in found.values()), *ratios, *(row_cell(row) for row in small), *printed]


def limits(kernels: Kernels, ciphers: Sequence[str]) -> Table:
    """Return the cycles without limits of ports and issue, beside those with them."""
    pairs = [(name.removesuffix(INFINITE), name) for name in MACHINES if name.endswith(INFINITE)]
    columns = [Column("cipher", text=True), Column("operation", text=True)]
    for base, _ in pairs:
        columns += [Column(title, group=MACHINES[base]) for title in ("cycles", "no limits", "of these")]
    lines = []
    for cipher in ciphers:
        label = cipher
        for operation in SHOWN[:3]:
            line = [Cell(label), Cell(NAMES[operation])]
            for base, name in pairs:
                row, free = kernels.best(cipher, operation, base), kernels.row(cipher, operation, name)
                line += [row_cell(row), row_cell(free), ratio_cell(free, row)]
            lines.append(line)
            label = ""
    notes = [
        "No limits: the latencies of the processor, any number of operations in a cycle, straight-line code; "
        "what is left is the flow of data. Code chosen for these processors differs from that with limits."
    ]
    return Table("data-flow-limits", "The limits of data flow", columns, lines, notes, dense=True)


def recipes(kernels: Kernels, ciphers: Sequence[str]) -> list[Table]:
    """Return the kernels that follow the paper's recipe, which validate the model, beside the paper's own."""
    from cipherassay.processors.requests import RECIPE

    lines: list[list[Cell]] = []
    for cipher in ciphers:
        lines += _recipe_lines(kernels, cipher, RECIPE)
    if not lines:
        return []
    columns = [Column(name, text=True) for name in ("cipher", "operation", "processor")]
    columns += [Column("cycles", group="the recipe here"), Column("bound", group="the recipe here")]
    columns += [Column("certificate", text=True, group="the recipe here")]
    columns += [
        Column("paper"),
        Column("difference"),
        Column("%"),
        Column("ops"),
        Column("paper: ops"),
        Column("best here"),
    ]
    notes = [
        "Code by the recipe that the paper states, scheduled automatically: it checks the model of the "
        "processor, not what is possible. The best that was found here has its own tables above.",
        FITTED_NOTE,
        _orders(),
    ]
    return [Table("recipe", "Validation: the paper's recipe", columns, lines, notes, dense=True)]


def _orders() -> str:
    from cipherassay import ciphers
    from cipherassay.studies.worley2000.kernels import RECIPE_ORDERS

    chosen = ", ".join(f"{ciphers.load(slug).name} {NAMES[operation]}" for slug, operation in RECIPE_ORDERS)
    return (
        "The paper does not print the order of its text, on which the cycles of the PA-8500 depend. Of two "
        "orders the one whose cycles are nearer to the paper's was taken: that of the description for "
        f"{chosen}, the scheduled one for the rest. So these figures, too, were fitted."
    )


def _recipe_lines(kernels: Kernels, cipher: str, recipe: str) -> Iterator[list[Cell]]:
    label = cipher
    for operation in SHOWN:
        for target in MACHINES:
            row = kernels.row(cipher, operation, target, configuration=recipe)
            if row is None:
                continue
            bound = EMPTY if row.bound is None else Cell(number_text(row.bound), row, row.bound)
            yield [
                Cell(label), Cell(NAMES[operation]), Cell(MACHINES[target]),
                row_cell(row), bound, certificate(row), paper(row), difference(row), _percent(row),
                row_cell(_sibling(kernels, row, "ops")), printed_cell(cipher, operation, target, "ops"),
                row_cell(kernels.best(cipher, operation, target)),
            ]  # fmt: skip
            label = ""


def _percent(row: Row) -> Cell:
    if not row.reference:
        return EMPTY
    value = 100 * (row.value - row.reference) / row.reference
    return Cell(f"{value:+.1f}", row, value)
