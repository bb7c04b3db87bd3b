"""`assay layout`: an S-box layer with the linear layer behind it, as tables of words."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cipherassay.cli._common import (
    Json,
    output,
    output_folder,
    progress,
    say,
    show_table,
    write_file,
    write_json,
)  # fmt: skip
from cipherassay.errors import UsageError, nearest

if TYPE_CHECKING:
    from cipherassay._engine import Processor
    from cipherassay.layouts import Found, Layer
    from cipherassay.layouts.cycles import Cycles

Timed = dict[str, "list[Cycles | None]"]


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("layout")(layout)


def layout(
    cipher: Annotated[str, typer.Argument(help="A cipher's name, or a cipher file.", show_default=False)],
    word_size: Annotated[int, typer.Option("--word-size", metavar="BITS", help="8, 16, 32 or 64.")] = 32,
    function: Annotated[str, typer.Option(help="The function whose layers are searched.")] = "encrypt",
    family: Annotated[
        list[str] | None,
        typer.Option(help="plain, rotations, shifts, masks, windows, pairs; all without it."),
    ] = None,
    key_bits: Annotated[int, typer.Option("--key-bits", help="Key size (default: the least).")] = 0,
    variant: Annotated[str, typer.Option(help="The cipher's variant.")] = "",
    folder: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="DIR", help="Write every layout as C.")
    ] = None,
    processor: Annotated[
        list[str] | None,
        typer.Option("--processor", "-p", help="Cycles there, too; may be repeated."),
    ] = None,
    keep: Annotated[
        bool, typer.Option("--keep", help="Keep the front in `stored/layouts`, where reports find it.")
    ] = False,
    json: Json = False,
) -> None:
    """Search the table layouts of substitution with permutation; print the Pareto front.

    Every order of the result bytes is tried with every choice of tables in a stated space (docs/layouts.md).
    """
    from cipherassay import processors
    from cipherassay.ciphers import load
    from cipherassay.layouts import find
    from cipherassay.layouts.rows import cycle_rows, rows

    described = load(cipher)
    program = described.compile(key_bits or described.key_bits[0], variant)
    known = [one["name"] for one in program.functions()]
    if function not in known:
        raise UsageError(
            "L105", f"{described.name} has no function `{function}`", help=nearest(function, known)
        )
    layers = [layer.joined(word_size) for layer in find(program, function)]
    machines = [processors.load(name) for name in processor or ()]
    _may_keep(keep, family)
    slug = described.slug if keep else ""
    found = [_search(layer, word_size, family or [], slug, json) for layer in layers]
    files = [_write(described.slug, one, folder) for one in found] if folder is not None else []
    timed = [_cycles(one, machines) for one in found]
    if json:
        command = f"assay layout {described.slug} --word-size {word_size}"
        made = [row for one in found for row in rows(one, described.name, command)]
        for one, by_machine in zip(found, timed, strict=True):
            for name, cycles in by_machine.items():
                made += cycle_rows(one, described.name, command, name, cycles)
        every = [row.as_dict() for row in made]
        write_json({"rows": every, "layers": [_document(one) for one in found], "files": sum(files, [])})
        return
    for one, by_machine in zip(found, timed, strict=True):
        _show(one, described.name, by_machine)
    for written in files:
        say(f"compiled and compared: {len(written)} layouts in {folder}")


def _may_keep(keep: bool, families: Sequence[str] | None) -> None:
    """Refuse to keep a front of some families only."""
    if keep and families:
        raise UsageError("L106", "`--keep` takes the whole front, not that of some families")


def _search(layer: Layer, word_bits: int, families: Sequence[str], keep: str, quiet: bool) -> Found:
    """Search a layer; with a cipher's name in `keep` what is found is kept under it, once it was checked."""
    from cipherassay.layouts import FAMILIES, kept
    from cipherassay.layouts.searching import read, searched

    wanted = [name for name in FAMILIES if not families or name in families]
    with progress("layouts", len(wanted), quiet=quiet) as bar:

        def tell(family: str, done: int, total: int) -> bool:
            if family in wanted:
                bar.advance(wanted.index(family) + done / total - bar.done, family)
            return False

        text = searched(layer, word_bits, families=families, tell=tell)
    found = read(text, layer, word_bits)
    if keep:
        kept.keep(text, keep, layer, word_bits)
    return found


def _cycles(found: Found, machines: Sequence[Processor]) -> Timed:
    """Return the cycles of a front's layouts on processors, by their names."""
    from cipherassay.layouts.cycles import cycles

    return {one.name: list(cycles(found.layer, found.layouts, one)) for one in machines}


def _write(slug: str, found: Found, folder: Path) -> list[str]:
    from cipherassay.layouts.checking import check_compiled
    from cipherassay.layouts.emitting import source

    stem = f"{slug}_{found.layer.name.lower()}_{found.word_bits}"
    names = [f"{stem}_{n + 1:02}" for n in range(len(found.layouts))]
    check_compiled(found.layer, found.layouts, names)
    output_folder(folder)
    paths = []
    for name, one in zip(names, found.layouts, strict=True):
        write_file(folder / f"{name}.c", source(found.layer, one, name))
        paths.append(str(folder / f"{name}.c"))
    return paths


def _document(found: Found) -> dict[str, Any]:
    from dataclasses import asdict

    return {
        "layer": found.layer.name,
        "function": found.layer.function,
        "matrix": found.layer.matrix,
        "boxes": found.layer.boxes,
        "second": found.layer.second or None,
        "second_layer_bytes": found.second_layer_bytes,
        "closed": found.is_closed,
        "effort": [asdict(effort) for effort in found.effort],
        "layouts": [asdict(one) | {"configuration": one.name} for one in found.layouts],
    }


def _show(found: Found, cipher: str, timed: Timed) -> None:
    from cipherassay.layouts.rows import METRICS, compared, published

    layer = found.layer
    shown = [m for m in METRICS if m != "table_bytes" and any(getattr(o.cost, m) for o in found.layouts)]
    lines = [
        (
            n + 1, one.family, one.cost.table_bytes, *(getattr(one.cost, m) for m in shown),
            *(_shown(cycles[n]) for cycles in timed.values()), _order(one.order),
        )
        for n, one in enumerate(found.layouts)
    ]  # fmt: skip
    boxes = ", ".join(dict.fromkeys(layer.boxes))
    title = f"{cipher}: {layer.name} after {boxes}, {layer.outputs} bytes, words of {found.word_bits} bits"
    counted = [*(m.replace("_", " ") for m in shown), *(f"cycles, {name}" for name in timed)]
    columns = ("", "family", "table bytes", *counted, "order, least byte first")
    show_table(columns, lines, title=title)
    if found.second_layer_bytes:
        size = found.second_layer_bytes
        output().print(
            f"Tables of the second S-box layer, {size} bytes, are part of every size.", markup=False
        )
    efforts = [
        (e.family, e.orders, e.problems, e.nodes, "exhausted" if e.closed else "not exhausted")
        for e in found.effort
    ]
    show_table(("family", "orders", "different", "choices", "space"), efforts)
    printed = published(cipher, found.word_bits)
    lines = []
    for name, cost in printed:
        state, by = compared(found, cost)
        number = found.layouts.index(by) + 1 if by else None
        lines.append((name, *(getattr(cost, m) for m in METRICS[:6]), state, number))
    if lines:
        columns = ("published", *(m.replace("_", " ") for m in METRICS[:6]), "is", "layout")
        show_table(columns, lines)


def _shown(cycles: Cycles | None) -> str:
    if cycles is None:
        return "–"
    return str(cycles.cycles) if cycles.is_least else f"{cycles.cycles} (at least {cycles.bound})"


def _order(order: Sequence[int | None]) -> str:
    return " ".join("-" if row is None else str(row + 1) for row in order)
