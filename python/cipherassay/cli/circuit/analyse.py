"""`assay circuit analyse`: what circuits compute and what they cost."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cipherassay.console.options import writable_file
from cipherassay.console.output import Json, output, show_table, write_file, write_json
from cipherassay.console.progress import say
from cipherassay.errors import AssayError, UsageError

if TYPE_CHECKING:
    from cipherassay.circuits.boxes import Box
    from cipherassay.circuits.targets import Target


@dataclass
class CircuitAnalysis:
    """A circuit with what was found out about it."""

    name: str
    text: str
    structure: dict[str, Any]
    box: Box | None
    metrics: dict[str, dict[str, float]] = field(default_factory=dict)
    """By target; targets that cannot compute it are left out."""
    refused: dict[str, str] = field(default_factory=dict)
    """Why, by target."""


def analyse(
    what: Annotated[
        str, typer.Argument(metavar="FILE|NAME", help="Circuits in a file, or a box of the library.")
    ],
    target: Annotated[
        list[str] | None,
        typer.Option("--target", "--processor", help="Measure for this one; may be repeated. Default: all."),
    ] = None,
    box: Annotated[str, typer.Option(help="The S-box it should compute: a name or a file.")] = "",
    picture: Annotated[
        Path | None,
        typer.Option(
            callback=writable_file, metavar="FILE.svg", help="Draw the circuit as a levelled graph."
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Check circuits against their S-boxes and measure them.

    Measured are operations, cycles, depth, area and so on. A file holds equations, one assignment per line
    (`t1 = x0 & ~x2`, C-like text is fine, too). They are checked against `--box`, the line `table` of the
    file, or the box that the circuit is named after. Names: boxes of the library (CIPHER.S3), published
    sets of equations (osvik, gladman-simpson, aes-submission).
    """
    from cipherassay.circuits import targets

    machines = [targets.find(name) for name in target or targets.names()]
    found = _read(what, box, machines if target else [])
    for one in found:
        _measure(one, machines, strict=bool(target))
    if picture is not None:
        _draw(found, picture, machines)
    if json:
        write_json({"circuits": [_as_json(one) for one in found]})
        return
    for one in found:
        _show(one)
    if picture is not None:
        say(f"wrote {picture}")


def _read(what: str, box: str, machines: list[Target]) -> list[CircuitAnalysis]:
    from cipherassay.circuits import boxes, equation_sets, library

    sbox = boxes.find(box) if box else None
    path = Path(what)
    if (equation_sets.FOLDER / f"{what}.txt").is_file():
        path = equation_sets.FOLDER / f"{what}.txt"
    if path.is_file():
        try:
            text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError(
                "C507",
                f"`{what}` cannot be read",
                notes=[str(error)],
                help="give a text of circuits in UTF-8, or the name of a box",
            ) from None
        return _of_text(text, what, sbox, machines)
    named = boxes.find(what)
    kept = [s for s in library.stored(named.family) if s.box == named.name]
    chosen = [s for s in kept if not machines or s.target in {m.name for m in machines}]
    if not chosen:
        help = f"search one: assay circuit search {named.name}"
        raise UsageError("C510", f"the library has no such circuit of {named.name}", help=help)
    return [
        one
        for s in chosen
        for one in _of_text(s.text, str(s.path), sbox or named, machines, f"{s.box} for {s.target}")
    ]


def _of_text(
    text: str, file: str, box: Box | None, machines: Sequence[Target], name: str = ""
) -> list[CircuitAnalysis]:
    """Read a text's circuits and check each; a wrong one is an error that shows the first differing input."""
    from cipherassay.circuits import engine

    found = []
    cells = _cells(text, machines)
    for document in engine.read(text, cells, box=box, file=file):
        own = box or _named(document)
        plain = {**document, "equations": []} if cells else document  # other targets do not know the cells
        written = engine.write(plain)
        if own is not None or dict(document["fields"]).get("table"):
            engine.check(written, own, file=file)
        found.append(CircuitAnalysis(name or document["name"], written, document, own))
    return found


def _cells(text: str, machines: Sequence[Target]) -> Target | None:
    """Return the technology whose cells a text may call: what its head says, or the only one asked for."""
    from cipherassay.circuits import targets

    named = set(re.findall(r"^target (cells:\S+)", text, re.MULTILINE))
    named = named or {machine.name for machine in machines if machine.name.startswith("cells:")}
    return targets.find(named.pop()) if len(named) == 1 else None


def _named(document: dict[str, Any]) -> Box | None:
    from cipherassay.circuits import boxes

    try:
        return boxes.find(document["name"]) if "." in document["name"] else None
    except UsageError:
        return None


def _measure(one: CircuitAnalysis, machines: list[Target], *, strict: bool) -> None:
    from cipherassay.circuits import engine

    for machine in machines:
        try:
            one.metrics[machine.name] = engine.measure(one.text, machine)
        except AssayError as error:
            if strict:
                raise
            one.refused[machine.name] = error.message


def _draw(found: list[CircuitAnalysis], path: Path, machines: list[Target]) -> None:
    from cipherassay.circuits.picture import picture

    if len(found) > 1:
        raise UsageError(
            "C508",
            f"a picture shows one circuit, not {len(found)}",
            help="choose one with --target, or a file of one circuit",
        )
    write_file(path, picture(found[0].structure["circuit"], title=found[0].name))


def _as_json(one: CircuitAnalysis) -> dict[str, Any]:
    return {
        "name": one.name,
        "box": one.box.name if one.box else None,
        "equations": one.structure["equations"],
        "metrics": one.metrics,
        "refused": one.refused,
        "circuit": one.structure["circuit"],
    }


def _show(one: CircuitAnalysis) -> None:
    checked = (
        f"equals {one.box.name} on all {len(one.box.data)} inputs" if one.box else "equals its own table"
    )
    if one.box is None and "table" not in dict(one.structure["fields"]):
        checked = "not checked: it names no box and has no table (--box S)"
    output().print(f"{one.name}: {checked}", markup=False)
    output().print("\n".join(f"  {line}" for line in one.structure["equations"]), markup=False)
    _show_figures(one.metrics)
    for target, reason in one.refused.items():
        say(f"not for {target}: {reason}")


FEW = 3
"""Of so many targets every figure is shown, of more the chief ones."""


def _show_figures(metrics: dict[str, dict[str, float]]) -> None:
    from cipherassay.circuits.metrics import FIGURES, METRICS

    if not metrics:
        return
    known = [name for name in FIGURES if any(name in found for found in metrics.values())]
    if len(metrics) <= FEW:
        lines = [[name, *(found.get(name) for found in metrics.values()), FIGURES[name]] for name in known]
        show_table(("figure", *metrics, "what is counted"), lines)
        return
    chief = [name for name in known if name in METRICS or name in ("ternary_count", "gate_equivalents")]
    show_table(
        ("target", *chief), [[target, *(found.get(n) for n in chief)] for target, found in metrics.items()]
    )
