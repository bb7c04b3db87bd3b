"""`assay circuit list`: the library of the best circuits known, and what else there is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from cipherassay.console.output import Json, show_table, write_json
from cipherassay.errors import UsageError, nearest

if TYPE_CHECKING:
    from cipherassay.circuits.library import StoredCircuit

KINDS = ("circuits", "boxes", "targets", "engines", "languages")


def list_(
    kind: Annotated[str, typer.Argument(help="circuits, boxes, targets, engines or languages.")] = "circuits",
    family: Annotated[str, typer.Option(help="Only this cipher.")] = "",
    target: Annotated[str, typer.Option(help="Only this target.")] = "",
    objective: Annotated[str, typer.Option(help="Only this first metric.")] = "",
    json: Json = False,
) -> None:
    """List the best circuits known; or boxes, targets, engines.

    Circuits stand beside the published counts.
    """
    if kind not in KINDS:
        raise UsageError("U015", f"there is no list of `{kind}`", help=nearest(kind, KINDS))
    if kind == "circuits":
        _list_circuits(family, target, objective, as_json=json)
        return
    entries = _LISTS[kind]()
    if json:
        write_json({kind: entries})
    else:
        columns = list(entries[0]) if entries else ["name"]
        show_table(columns, [[_words(entry[c]) for c in columns] for entry in entries], title=kind)


def _list_circuits(family: str, target: str, objective: str, *, as_json: bool) -> None:
    from cipherassay.circuits import library, targets
    from cipherassay.circuits.boxes import families

    if family and family not in families():
        raise UsageError("C127", f"there are no S-boxes of `{family}`", help=nearest(family, families()))
    if target:
        targets.find(target)
    found = list(library.stored(family, target, objective))
    if as_json:
        from cipherassay.circuits.rows import stored_rows

        write_json({"rows": [row.as_dict() for item in found for row in stored_rows(item.document)]})
        return
    columns = ("box", "target", "objective", "circuit", "published", "ratio", "proof")
    show_table(columns, [_line(item) for item in found])


def _line(item: StoredCircuit) -> list[Any]:
    document = item.document
    theirs = document.published.get(item.metric)
    order = document.objective
    return [
        item.box,
        item.target,
        " ".join(order),
        " ".join(f"{document.metrics[m]:g}" for m in order if m in document.metrics),
        " ".join(f"{document.published[m]:g}" for m in order if m in document.published) or None,
        item.value / theirs if theirs else None,
        document.proof.state,
    ]


def _boxes() -> list[dict[str, Any]]:
    from cipherassay.circuits import boxes

    found = [boxes.find(name) for name in boxes.every_name()]
    return [
        {"name": b.name, "inputs": b.inputs, "outputs": b.outputs, "values": list(b.data), "source": b.source}
        for b in found
    ]


def _targets() -> list[dict[str, Any]]:
    from cipherassay.circuits import targets

    found = [targets.find(name) for name in targets.names()]
    return [
        {
            "name": t.name,
            "title": t.title,
            "operations": sorted({o.name for o in t.operations}),
            "issue_width": t.issue_width,
            "registers": t.registers,
            "objective": list(t.objective),
        }
        for t in found
    ]


def _engines() -> list[dict[str, Any]]:
    from cipherassay.circuits import engine

    return [{"name": name, "description": description} for name, description in engine.every_engine()]


def _languages() -> list[dict[str, Any]]:
    from cipherassay.circuits import emitting

    return [
        {
            "name": one.name,
            "title": one.title,
            "suffix": one.suffix,
            "options": [f"{c.name}={'|'.join(c.values) or 'N'}" for c in one.choices],
        }
        for one in emitting.languages().values()
    ]


_LISTS = {"boxes": _boxes, "targets": _targets, "engines": _engines, "languages": _languages}


def _words(value: Any) -> Any:
    if isinstance(value, list) and len(value) > 32:
        return f"{' '.join(map(str, value[:16]))} … ({len(value)} values)"
    return " ".join(map(str, value)) if isinstance(value, list) else value
