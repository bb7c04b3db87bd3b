"""Tables of kernels on modelled processors: cycles beside the HP paper's, its appendix, its ranking."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from cipherassay.processors import references
from cipherassay.processors.kernel import FORMS, SMALL
from cipherassay.published import lookup
from cipherassay.report.data import OPERATIONS
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
from cipherassay.studies.worley2000.kernels_shown import MACHINES, Kernels

SHOWN = ("key_setup_both", "key_setup_encrypt", "encrypt", "decrypt")
NAMES = {**OPERATIONS, "key_setup_both": "key setup", "key_setup_encrypt": "key setup, forward only"}


def cycles(kernels: Kernels, cipher: str) -> Table:
    """Return the table of a cipher: each operation on each processor, with bound, certificate and paper."""
    columns = [Column("operation", text=True), Column("processor", text=True), Column("code", text=True)]
    columns += [Column("cycles", group="ours"), Column("bound", group="ours")]
    columns += [Column("certificate", text=True, group="ours"), Column("the paper"), Column("difference")]
    lines: list[list[Cell]] = []
    for operation in SHOWN:
        for name, variant, known in kernels.variants:
            if (name, known) == (cipher, operation):
                lines += _operation(kernels, cipher, operation, variant)
    notes = [
        "Cycles with a 128-bit key, simulated from the assembly text and equal to the schedule's where the "
        "processor issues in order. Bound: no schedule of these instructions takes fewer cycles. Follow a "
        "certificate to see its argument; “not proved” means that list scheduling, and the solver where the "
        "argument names it, stopped above the bound.",
        FITTED_NOTE,
    ]
    return Table(f"processor-{cipher.lower()}", cipher, columns, lines, notes, dense=True)


def _operation(kernels: Kernels, cipher: str, operation: str, variant: str) -> Iterator[list[Cell]]:
    label = NAMES[operation] + (f", {variant}" if variant else "")
    for target in (name for name in kernels.targets if not name.endswith("-infinite")):
        row = kernels.best(cipher, operation, target, variant=variant)
        if row is None:
            reason = kernels.refusal(cipher, operation, target, variant=variant)
            if reason:
                refused = Cell("none", tone="muted", note=reason)
                yield [Cell(label), Cell(MACHINES[target]), refused, EMPTY, EMPTY, Cell(reason), EMPTY, EMPTY]
                label = ""
            continue
        yield [Cell(label), Cell(MACHINES[target]), Cell(row.configuration or ""), *_achieved(row)]
        label = ""


def _achieved(row: Row) -> list[Cell]:
    bound = EMPTY if row.bound is None else Cell(number_text(row.bound), row, row.bound)
    return [row_cell(row), bound, certificate(row), paper(row), difference(row)]


def certificate(row: Row) -> Cell:
    """Return in a word how good the cycles are; the argument is its note."""
    if row.bound is None:
        return Cell("no bound", row, tone="muted", note=row.certificate or "")
    kind = (row.certificate or "").partition("; ")[2].partition(":")[0]
    if row.bound == row.value:
        return Cell(f"proved: {kind}", row, note=row.certificate or "")
    return Cell(f"not proved: {kind}", row, tone="muted", note=row.certificate or "")


FITTED = "†"
FITTED_NOTE = (
    f"{FITTED} A parameter of the processor's model was chosen to meet this figure, so that meeting it "
    "validates nothing. Follow the figure to see the parameter; `assay show NAME` lists what each "
    "was fitted on."
)


def fitted(row: Row) -> list[str]:
    """Return the parameters of the model that were chosen to meet the paper's number beside a row."""
    if row.reference is None or row.metric != "cycles":
        return []
    target = (row.target or "").split(" ")[0]
    return references.fitted(row.cipher or "", row.operation or "", target)


def paper(row: Row) -> Cell:
    """Return the paper's number beside ours, marked where the model was fitted on it."""
    if row.reference is None:
        return EMPTY
    names, note = fitted(row), row.reference_source or ""
    text = printed_text(row.reference)
    if names:
        text, note = f"{text} {FITTED}", f"{note}; fitted: {', '.join(names)}"
    return Cell(text, row, row.reference, note=note)


def difference(row: Row) -> Cell:
    """Return ours less the paper's."""
    if row.reference is None:
        return EMPTY
    value = row.value - row.reference
    return Cell(f"{value:+g}", row, value, "good" if value < 0 else "bad" if value > 0 else "")


METRICS = {"cycles": "cycles", "ops": "ops", "ipc": "IPC", "registers": "registers", "code_bytes": "bytes"}
GROUPS = {"encrypt": "encryption", "decrypt": "decryption", "key_setup": "key setup"}


def appendix(kernels: Kernels, ciphers: Sequence[str]) -> Table:
    """Return the paper's Appendix A: ours straight, ours with loops, the paper's, line by line."""
    columns = [Column("cipher", text=True), Column("processor", text=True), Column("code", text=True)]
    columns += [
        Column(title, group=group, text=metric == "registers")
        for group in GROUPS.values()
        for metric, title in METRICS.items()
    ]
    lines: list[list[Cell]] = []
    for cipher in ciphers:
        for target in ("pa8500", "mckinley-paper", "ia64pp"):
            lines += _appendix_lines(kernels, cipher, target)
    notes = [
        "Registers as the paper writes them: statics/stacked, statics//rotating, statics/stacked/rotating; "
        "other classes are named (fr, fw: floating point, pr: predicates, sar: shift amount). Bytes: as "
        "assembled; where an instruction is hypothetical, of its bundles. Key setup is that of "
        "both directions."
    ]
    return Table("appendix-a", "Appendix A: summary of best performance", columns, lines, notes, dense=True)


def _appendix_lines(kernels: Kernels, cipher: str, target: str) -> Iterator[list[Cell]]:
    first = [Cell(cipher), Cell(MACHINES[target])]
    for form in (*FORMS, SMALL):
        rows = {
            (operation, metric): kernels.row(cipher, _named(operation), target, metric, configuration=form)
            for operation in GROUPS
            for metric in METRICS
        }
        if any(rows.values()):
            yield [*first, Cell(form), *(_figure(rows[key]) for key in rows)]
            first = [Cell(), Cell()]
    printed = [printed_cell(cipher, _named(o), target, m) for o in GROUPS for m in METRICS]
    if any(cell is not EMPTY for cell in printed):
        yield [*first, Cell("paper", tone="muted"), *printed]


def _named(operation: str) -> str:
    return "key_setup_both" if operation == "key_setup" else operation


def _figure(row: Row | None) -> Cell:
    if row is not None and row.metric == "ipc":
        return Cell(f"{row.value:.2f}", row, row.value)
    if row is None or row.metric != "registers":
        return row_cell(row)
    text = (row.certificate or "").replace("gr ", "", 1)
    return Cell(text, row, row.value)


def printed_cell(cipher: str, operation: str, target: str, metric: str) -> Cell:
    """Return the paper's number for a kernel."""
    from cipherassay.processors.references import printed

    row = printed(cipher, operation, target, metric, key_bits=128)
    return EMPTY if row is None else Cell(row.printed, number=row.value, tone="muted", note=row.where)


def memory_and_parallelism(kernels: Kernels, ciphers: Sequence[str]) -> Table:
    """Return the end of Appendix A: bytes of tables, and parallelism by a rule."""
    columns = [Column("cipher", text=True), Column("operation", text=True)]
    columns += [
        Column(name, group=group) for group in ("table bytes", "parallelism") for name in ("ours", "paper")
    ]
    lines: list[list[Cell]] = []
    for cipher in ciphers:
        label = cipher
        for operation, title in GROUPS.items():
            named = _named(operation)
            lines.append(
                [
                    Cell(label),
                    Cell(title),
                    row_cell(kernels.row(cipher, named, "mckinley-paper", "table_bytes")),
                    _of_appendix(cipher, named, "table_bytes"),
                    _ratio(kernels.row(cipher, named, "mckinley-paper-infinite", "ipc")),
                    _of_appendix(cipher, named, "parallelism"),
                ]
            )
            label = ""
    notes = [
        "Parallelism: the operations of the code for a processor without limits (latencies kept) by its "
        "cycles. The paper does not state its rule. Table bytes: of tables read, without round keys, which "
        "the paper counts in; its columns stand in another order than their heads say (see below)."
    ]
    title = "Appendix A: tables and parallelism"
    return Table("appendix-a-parallelism", title, columns, lines, notes, dense=True)


def _of_appendix(cipher: str, operation: str, metric: str) -> Cell:
    found = lookup(
        paper="worley2000", table="appendix-a", cipher=cipher, operation=operation, metric=metric, variant=""
    )
    return Cell(found[0].printed, number=found[0].value, tone="muted") if found else EMPTY


def _ratio(row: Row | None) -> Cell:
    return EMPTY if row is None else Cell(f"{row.value:.1f}", row, row.value)
