"""A device's notebook: its modules, pictures, clocks, and what synthesis found, with the sweeps as a plot.

Synthesis is not run for it: what is kept of the device is shown, else the command that makes it.
"""

from __future__ import annotations

import base64
import hashlib
import io
import json
from collections.abc import Mapping, Sequence
from typing import Any

from cipherassay import tools
from cipherassay.hardware.emission import speed_grades
from cipherassay.hardware.emission.hierarchy import hierarchy
from cipherassay.hardware.results import stored
from cipherassay.hardware.results.documents import Document
from cipherassay.hardware.rtl.build import Device
from cipherassay.hardware.timing import hold

_FORMAT = 5
_PLOT = """\
import matplotlib.pyplot as plt

points = {points}
grades = {grades}
figure, axes = plt.subplots(figsize=(6.4, 4))
for strategy in sorted({{point[0] for point in points}}):
    some = [point for point in points if point[0] == strategy]
    axes.scatter([p[1] for p in some], [p[2] / 1e6 for p in some], s=12, label=strategy)
chosen = [g[0] for g in grades], [g[1] / 1e6 for g in grades]
axes.scatter(*chosen, s=70, facecolors="none", edgecolors="black", label="grades")
axes.set_xlabel("period, ns")
axes.set_ylabel("area, {unit}")
axes.legend(frameon=False)
plt.show()
"""


def notebook(device: Device, pictures: Sequence[tuple[str, str]], command: str) -> str:
    """Return a notebook (nbformat 4) of a device; ``pictures`` are (title, file) beside it.

    The same device and the same kept results give the same text.
    """
    cells = [_words(_head(device, command)), _words(_modules(device))]
    if pictures:
        cells.append(
            _words("\n\n".join(["## Pictures", *(f"![{t}]({file})\n\n*{t}*" for t, file in pictures)]))
        )
    cells.append(_words(_clocks(device)))
    document = stored.of_device(device)
    cells += _synthesis(device, document) if document is not None else [_words(_missing(device))]
    for n, cell in enumerate(cells):
        cell["id"] = hashlib.sha256(f"{n}{cell['source']}".encode()).hexdigest()[:12]
    whole = {
        "cells": cells,
        "metadata": {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}},
        "nbformat": 4,
        "nbformat_minor": _FORMAT,
    }
    return json.dumps(whole, indent=1, ensure_ascii=False) + "\n"


def _words(text: str) -> dict[str, Any]:
    return {"cell_type": "markdown", "metadata": {}, "source": text}


def _table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(map(str, row)) + " |" for row in rows])


def _head(device: Device, command: str) -> str:
    return (
        f"# {device.name}\n\n{device.title} {device.source}, {device.architecture}, key version "
        f"{device.key}, {device.direction}; strategy `{device.strategy.name}`: "
        f"{device.strategy.description}\n\n"
        f"Written by `{command}`."
    )


def _modules(device: Device) -> str:
    tree = hierarchy(device.design.files("verilog"), device.name)
    rows = [
        ("&nbsp;" * 4 * m.depth + f"`{m.name}`", f"{m.count} ×" if m.count > 1 else "", m.text) for m in tree
    ]
    registers = [(block.replace("_", " "), bits) for block, bits in device.registers.items()]
    return "\n\n".join(
        [
            "## Modules", _table(("module", "instances", "what it is"), rows),
            "## Register bits", _table(("block", "bits"), registers),
        ]
    )  # fmt: skip


def _clocks(device: Device) -> str:
    head: tuple[str, ...] = ("key bits", "direction", "key setup", "latency", "block to block")
    rows: list[tuple[object, ...]] = [
        (bits, device.noun(decrypt), c.key_setup, c.latency, c.rate)
        for (bits, decrypt), c in device.clocks.items()
    ]
    if not device.keyed:
        head, rows = (head[1], *head[3:]), [(row[1], *row[3:]) for row in rows]
    return f"## Clocks\n\n{_table(head, rows)}\n\n`assay simulate --rtl` confirms each of them by simulation."


def _missing(device: Device) -> str:
    return (
        "## Synthesis\n\nNo results of this design are kept. This command makes and keeps them (minutes):\n\n"
        f"    {speed_grades.command(device)}\n\n"
        "The command at the head of this notebook, run again, then fills this section."
    )


def _synthesis(device: Device, document: Document) -> list[dict[str, Any]]:
    """Return the cells of what synthesis found: grades, blocks, paths, functions, the sweep."""
    grades = document["grades"]
    paths = [(n, *(f"`{end}`" for end in g["path"])) for n, g in enumerate(grades, 1)]
    text = [
        f"## Synthesis to {document['technology']}",
        f"Kept results ({document['tools']}) of this very design.",
        f"`{stored.recompute(document)}` makes them anew.",
        "### Grades, the fastest first", _table(*speed_grades.grade_rows(document)),
        *[hold.WHY] * any(grade["latches"] for grade in grades),
        "### Area and transistors per block", _table(*_block_rows(grades, document["area_unit"])),
        "### Worst paths", _table(("grade", "from", "to"), paths),
        "### Functions: the recipes chosen in each grade", _table(*_recipe_rows(grades)),
    ]  # fmt: skip
    points = [[p[0], p[1], p[2]] for p in document["points"]]
    chosen = [[max(g["period_ns"].values()), g["area_um2"]] for g in grades]
    unit = f"10⁶ {document['area_unit']}"
    source = _PLOT.format(points=json.dumps(points), grades=json.dumps(chosen), unit=unit)
    return [_words("\n\n".join(text)), _words("### The sweep"), _plot(source)]


def _block_rows(grades: Sequence[Document], unit: str) -> tuple[Sequence[str], list[tuple[object, ...]]]:
    head = ["block", *(f"grade {n}: {unit} / transistors" for n in range(1, len(grades) + 1))]
    blocks = list(dict.fromkeys(block for grade in grades for block in grade["blocks"]))
    rows: list[tuple[object, ...]] = []
    for block in blocks:
        sizes = [grade["blocks"].get(block, (0, 0)) for grade in grades]
        rows.append((block, *(f"{area:,.0f} / {count:,}" for area, count in sizes)))
    return head, rows


def _recipe_rows(grades: Sequence[Document]) -> tuple[Sequence[str], list[tuple[object, ...]]]:
    units = list(dict.fromkeys(unit for grade in grades for unit in grade["recipes"]))
    head = ["function", *(f"grade {n}" for n in range(1, len(grades) + 1))]
    rows = [(f"`{unit}`", *(grade["recipes"].get(unit, "") for grade in grades)) for unit in units]
    return head, [*rows, ("timing repaired", *("yes" if grade.get("repaired") else "no" for grade in grades))]


def _plot(source: str) -> dict[str, Any]:
    """Return a code cell with the picture that its own text draws; without Matplotlib the cell alone."""
    if not tools.find("matplotlib").place:
        return {
            "cell_type": "code", "execution_count": None, "metadata": {}, "source": source, "outputs": [],
        }  # fmt: skip
    picture = base64.b64encode(draw(source)).decode()
    data: Mapping[str, str] = {"image/png": picture, "text/plain": "<Figure>"}
    output = {"output_type": "display_data", "data": data, "metadata": {}}
    return {
        "cell_type": "code", "execution_count": 1, "metadata": {}, "source": source, "outputs": [output],
    }  # fmt: skip


def draw(source: str) -> bytes:
    """Run the text of a plotting cell; return its picture as PNG."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    with matplotlib.rc_context():
        exec(compile(source, "notebook cell", "exec"), {})
        stream = io.BytesIO()
        plt.gcf().savefig(stream, format="png", dpi=100, metadata={"Software": None})
        plt.close("all")
    return stream.getvalue()
