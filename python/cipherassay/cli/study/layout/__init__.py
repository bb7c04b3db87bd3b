"""`assay study layout`: an S-box layer with the linear layer behind it, as tables of words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cipherassay.console.options import writable_folder
from cipherassay.console.output import Json, output, output_folder, show_table, write_file, write_json
from cipherassay.console.progress import progress, say
from cipherassay.errors import UsageError, nearest

if TYPE_CHECKING:
    from cipherassay._engine import Processor
    from cipherassay.lang.cipher import Cipher
    from cipherassay.layouts import Layer, Layout, LayoutFront
    from cipherassay.layouts.cycles import Cycles
    from cipherassay.layouts.java_timing import Time
    from cipherassay.results import Row

Timings = dict[str, "list[Cycles | None]"]


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("layout")(layout)


def layout(
    cipher: Annotated[str, typer.Argument(help="A cipher's name, or a cipher file.", show_default=False)],
    word_size: Annotated[int, typer.Option("--word-size", metavar="BITS", help="8, 16, 32 or 64.")] = 32,
    function: Annotated[
        str, typer.Option(help="The function whose layers are searched. Default: encrypt, permute.")
    ] = "",
    family: Annotated[
        list[str] | None,
        typer.Option(help="plain, rotations, shifts, masks, windows, pairs; all without it."),
    ] = None,
    key_bits: Annotated[int, typer.Option("--key-bits", help="Key size (default: the cipher's first).")] = 0,
    variant: Annotated[str, typer.Option(help="The cipher's variant.")] = "",
    folder: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            callback=writable_folder,
            metavar="DIR",
            help="Write every layout as C, with --java also as Java.",
        ),
    ] = None,
    processor: Annotated[
        list[str] | None,
        typer.Option("--processor", "-p", help="Cycles there, too; may be repeated."),
    ] = None,
    entries: Annotated[
        bool, typer.Option("--entries", help="Layouts that look S up alone, too, by the width of entries.")
    ] = False,
    java: Annotated[
        bool, typer.Option("--java", help="Time every layout in Java, those of --entries among them.")
    ] = False,
    keep: Annotated[
        bool, typer.Option("--keep", help="Keep the front, so that reports do not search it.")
    ] = False,
    json: Json = False,
) -> None:
    """Search the table layouts of substitution with permutation.

    The Pareto front is printed. Every order of the result bytes is tried with every choice of tables in a
    stated space (docs/layouts.md). Layers of other S-boxes, or of bits, keep the order that the program
    has; how tables are shared is chosen.
    """
    from cipherassay import processors, tools
    from cipherassay.ciphers import load
    from cipherassay.layouts import find
    from cipherassay.layouts.rows import cycle_rows

    described = load(cipher)
    program = described.compile(key_bits, variant)
    known = [one["name"] for one in program.functions()]
    function = function or described.shape.forward
    if function not in known:
        raise UsageError(
            "L105", f"{described.name} has no function `{function}`", help=nearest(function, known)
        )
    layers = [layer.joined(word_size) for layer in find(program, function)]
    layers = [layer for layer in layers if layer.fits(word_size)]
    if not layers:
        from cipherassay.cli.study.layout.bits import bit_layouts

        given = {"--processor": processor, "--entries": entries, "--java": java, "--keep": keep}
        _of_bytes(given, described.name)
        bit_layouts(described, program, function, word_size, family or [], folder, json=json)
        return
    machines = [processors.load(name) for name in processor or ()]
    _may_keep(keep, family)
    if java:
        tools.require("java")
    slug = described.slug if keep else ""
    found = [_search(layer, word_size, family or [], slug, json) for layer in layers]
    timed = [_cycles(one, machines) for one in found]
    points = [_Points(described, one, entries or java) for one in found]
    for of_layer in points:
        of_layer.write(folder, is_java=java, quiet=json)
    if json:
        command = f"assay study layout {described.slug} --word-size {word_size}"
        made = [row for one in points for row in one.rows(command)]
        for one, by_machine in zip(found, timed, strict=True):
            for name, cycles in by_machine.items():
                made += cycle_rows(one, described.name, command, name, cycles)
        every = [row.as_dict() for row in made]
        files = [file for one in points for file in one.files]
        write_json({"rows": every, "layers": [_document(one) for one in points], "files": files})
        return
    for one_layer, by_machine in zip(points, timed, strict=True):
        _show(one_layer, by_machine)
        if one_layer.files:
            say(f"compiled and compared: {len(one_layer.files)} files in {folder}")


def _of_bytes(options: Mapping[str, Any], cipher: str) -> None:
    """Refuse options that layers of bits do not have."""
    for name in (name for name, value in options.items() if value):
        raise UsageError(
            "L109",
            f"`{name}` is for layers of bytes; {cipher} has none in words of this size",
            help=f"leave out {name}: tables for layers of bits are counted and written as C",
        )


class _Points:
    """A front with the layouts by width of entries behind it, and what was made of them."""

    def __init__(self, cipher: Cipher, found: LayoutFront, has_widths: bool) -> None:
        from cipherassay.layouts.widths import widths

        self.cipher, self.found = cipher, found
        self.widths = widths(found.layer, found.word_bits) if has_widths else []
        self.times: list[Time] = []
        self.time_rows: list[Row] = []
        self.files: list[str] = []

    @property
    def layouts(self) -> list[Layout]:
        """All layouts."""
        return [*self.found.layouts, *self.widths]

    def write(self, folder: Path | None, *, is_java: bool, quiet: bool) -> None:
        """Compile and compare the layouts, time them in Java, write them into a folder if there is one."""
        from cipherassay.cli.study.layout.java import in_java

        stem = f"{self.cipher.slug}_{self.found.layer.name.lower()}_{self.found.word_bits}"
        names = [f"{stem}_{n + 1:02}" for n in range(len(self.layouts))]
        if folder is not None:
            self.files = _write(self.found.layer, self.layouts, names, folder)
        if is_java and self.layouts:
            made = in_java(self.found.layer, self.layouts, names, self.cipher, folder, quiet=quiet)
            self.times, self.time_rows = made[0], made[1]
            self.files += made[2]

    def rows(self, command: str) -> list[Row]:
        """Return the rows of all layouts."""
        from cipherassay.layouts.rows import rows, width_rows

        found = self.found
        return [
            *rows(found, self.cipher.name, command),
            *width_rows(found, self.widths, self.cipher.name, command),
            *self.time_rows,
        ]


def _may_keep(keep: bool, families: Sequence[str] | None) -> None:
    """Refuse to keep a front of some families only."""
    if keep and families:
        raise UsageError("L106", "`--keep` takes the whole front, not that of some families")


def _search(layer: Layer, word_bits: int, families: Sequence[str], keep: str, quiet: bool) -> LayoutFront:
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


def _cycles(found: LayoutFront, machines: Sequence[Processor]) -> Timings:
    """Return the cycles of a front's layouts on processors, by their names."""
    from cipherassay.layouts.cycles import cycles

    return {one.name: list(cycles(found.layer, found.layouts, one)) for one in machines}


def _write(layer: Layer, layouts: Sequence[Layout], names: Sequence[str], folder: Path) -> list[str]:
    from cipherassay.layouts.checking import check_compiled
    from cipherassay.layouts.emitting import source

    check_compiled(layer, layouts, names)
    output_folder(folder)
    paths = []
    for name, one in zip(names, layouts, strict=True):
        write_file(folder / f"{name}.c", source(layer, one, name))
        paths.append(str(folder / f"{name}.c"))
    return paths


def _document(points: _Points) -> dict[str, Any]:
    from dataclasses import asdict

    found = points.found
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
        "entries": [asdict(one) | {"configuration": one.name} for one in points.widths],
    }


def _show(points: _Points, timed: Timings) -> None:
    from cipherassay.layouts.rows import METRICS, compared, published

    cipher, found = points.cipher, points.found
    layer, count = found.layer, len(found.layouts)
    boxes = ", ".join(dict.fromkeys(layer.boxes))
    title = (
        f"{cipher.name}: {layer.name} after {boxes}, {layer.outputs} bytes, words of {found.word_bits} bits"
    )
    times = [f"{time.least:.2f}" for time in points.times]
    others = {f"cycles, {name}": [_shown(one) for one in cycles] for name, cycles in timed.items()}
    _show_layouts(found.layouts, 0, title, others | ({"Java, ns": times[:count]} if times else {}))
    if found.second_layer_bytes:
        size = found.second_layer_bytes
        output().print(
            f"Tables of the second S-box layer, {size} bytes, are part of every size.", markup=False
        )
    if points.widths:
        title = "S alone, then the linear layer on words"
        _show_layouts(points.widths, count, title, {"Java, ns": times[count:]} if times else {})
    efforts = [
        (e.family, e.orders, e.problems, e.nodes, "exhausted" if e.closed else "not exhausted")
        for e in found.effort
    ]
    show_table(("family", "orders", "different", "choices", "space"), efforts)
    printed = published(cipher.name, found.word_bits)
    lines = []
    for name, cost in printed:
        state, by = compared(found, cost)
        number = found.layouts.index(by) + 1 if by else None
        lines.append((name, *(getattr(cost, m) for m in METRICS[:6]), state, number))
    if lines:
        columns = ("published", *(m.replace("_", " ") for m in METRICS[:6]), "is", "layout")
        show_table(columns, lines)


def _show_layouts(
    layouts: Sequence[Layout], before: int, title: str, others: Mapping[str, Sequence[str]]
) -> None:
    """Show layouts, numbered after so many `before`, with further columns by their heads."""
    from cipherassay.layouts.rows import METRICS

    shown = [m for m in METRICS if m != "table_bytes" and any(getattr(o.cost, m) for o in layouts)]
    lines = [
        (
            before + n + 1, one.family, one.cost.table_bytes, *(getattr(one.cost, m) for m in shown),
            *(column[n] for column in others.values()), _order(one.order),
        )
        for n, one in enumerate(layouts)
    ]  # fmt: skip
    columns = ("", "family", "table bytes", *(m.replace("_", " ") for m in shown), *others)
    show_table((*columns, "order, least byte first"), lines, title=title)


def _shown(cycles: Cycles | None) -> str:
    if cycles is None:
        return "–"
    return str(cycles.cycles) if cycles.is_least else f"{cycles.cycles} (at least {cycles.bound})"


def _order(order: Sequence[int | None]) -> str:
    return " ".join("-" if row is None else str(row + 1) for row in order)
