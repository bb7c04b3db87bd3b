"""`assay study layout` for layers of bits: S-boxes of any size, tables in the program's own order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from cipherassay.console.output import output_folder, show_table, write_file, write_json
from cipherassay.console.progress import say
from cipherassay.errors import UsageError

if TYPE_CHECKING:
    from cipherassay._engine import Program
    from cipherassay.lang.cipher import Cipher
    from cipherassay.layouts.bit_tables import BitTables
    from cipherassay.linear.bit_layers import BitLayer, Found


def bit_layouts(
    cipher: Cipher, program: Program, function: str, word_bits: int, families: Sequence[str],
    folder: Path | None, *, json: bool,
) -> None:  # fmt: skip
    """Find the layers behind S-boxes, construct their tables, show or write them.

    Raises
    ------
    UsageError
        ``L103``: no S-box, or nothing linear behind one; ``L104``: a family that layers of bits do not have.
    """
    from cipherassay.layouts.bit_tables import FAMILIES, front, rows
    from cipherassay.linear import bit_layers, slices

    for name in families:
        if name not in FAMILIES:
            raise UsageError(
                "L104",
                f"there is no family of layouts `{name}`",
                help=f"layers of bits have these: {', '.join(FAMILIES)}",
            )
    found = bit_layers.find(program, function)
    layers = bit_layers.one_per_shape(found.behind_boxes(), names=True)
    if not layers:
        raise _nothing(cipher, function, found)
    fronts = []
    for layer, _ in layers:
        slices.check(program, layer)
        fronts.append(front(layer, word_bits, families))
    files = _write(cipher, fronts, word_bits, folder) if folder is not None else []
    if json:
        command = f"assay study layout {cipher.slug} --word-size {word_bits}"
        every = [row.as_dict() for layouts in fronts for row in rows(layouts, cipher.name, command)]
        documents = [_document(layer, layouts) for (layer, _), layouts in zip(layers, fronts, strict=True)]
        write_json({"rows": every, "layers": documents, "files": files})
        return
    for (layer, count), layouts in zip(layers, fronts, strict=True):
        _show(cipher, layer, count, layouts)
    if files:
        say(f"compiled and compared: {len(files)} files in {folder}")


def _nothing(cipher: Cipher, function: str, found: Found) -> UsageError:
    """Return the error that says what the cipher has instead of S-boxes with a linear layer behind."""
    what = "S-boxes, but no linear layer over GF(2) behind them" if found.has_boxes else "no S-box"
    after = "their bits go straight on to the next operation or round" if found.has_boxes else ""
    return UsageError(
        "L103",
        f"`{function}` of {cipher.name} has {what}",
        notes=[f"not linear in it: {found.what_is_not_linear()}", *([after] if after else [])],
        help="layouts are tables of S-boxes with what is linear behind;"
        f" `assay study linear {cipher.slug}` finds what is linear before or between other operations",
    )


def _write(cipher: Cipher, fronts: Sequence[Sequence[BitTables]], word_bits: int, folder: Path) -> list[str]:
    from cipherassay.layouts.bit_tables import check_compiled, source

    stem = f"{cipher.slug}_bits".replace("-", "_")
    layouts = [(f"{stem}{n + 1}_{word_bits}_{k + 1:02}", one)
               for n, each in enumerate(fronts) for k, one in enumerate(each)]  # fmt: skip
    check_compiled([one for _, one in layouts], [name for name, _ in layouts])
    output_folder(folder)
    for name, one in layouts:
        write_file(folder / f"{name}.c", source(one, name))
    return [str(folder / f"{name}.c") for name, _ in layouts]


def _document(layer: BitLayer, layouts: Sequence[BitTables]) -> dict[str, object]:
    return {
        "layer": layer.name, "function": layer.function, "behind": layer.behind, "matrix": layer.rows,
        "boxes": [source.name for source in layer.sources], "closed": False,
        "layouts": [
            {"configuration": one.name, "family": one.family, "cost": asdict(one.cost), "units": one.units,
             "tables": [list(pattern) for _, pattern in one.tables],
             "loads": [asdict(load) for load in one.loads]}
            for one in layouts
        ],
    }  # fmt: skip


def _show(cipher: Cipher, layer: BitLayer, count: int, layouts: Sequence[BitTables]) -> None:
    bits = layouts[0].word_bits
    others = f" (and {count - 1} of the same shape)" if count > 1 else ""
    title = f"{cipher.name}: {layer.name} behind {layer.behind}{others}, words of {bits} bits"
    lines = [
        (n + 1, one.family, max(map(len, one.units)), one.cost.table_bytes, one.cost.references,
         one.cost.xors, one.cost.shifts, one.cost.rotations)
        for n, one in enumerate(layouts)
    ]  # fmt: skip
    columns = ("", "family", "S-boxes an index", "table bytes", "references", "xors", "shifts", "rotations")
    show_table(columns, lines, title=title)
