"""The circuits of the library as rows, kept in the store like everything that the report shows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cipherassay.results import Row, Store

if TYPE_CHECKING:
    from cipherassay.circuits import tables


def circuit_rows(store: Store) -> list[Row]:
    """Return a row per metric of every stored circuit; the store has them afterwards, too."""
    from cipherassay.circuits import library
    from cipherassay.circuits.rows import stored_rows
    from cipherassay.results import digest

    stored = list(library.stored())
    inputs = {"library": digest({f"{s.path.parent.name}/{s.path.name}": s.text for s in stored})}
    kept = store.find("circuits", inputs)
    if kept is not None:
        return kept
    rows = [row for item in stored for row in stored_rows(item.document)]
    store.put("circuits", inputs, rows)
    return rows


def equation_rows(store: Store) -> list[Row]:
    """Return the published equation sets as we measure them; the HP paper's figures are the reference."""
    from cipherassay.circuits import tables
    from cipherassay.results import digest

    texts = {path.name: path.read_text(encoding="utf-8") for path in sorted(tables.FOLDER.glob("*.txt"))}
    inputs = {"equations": digest(texts), "rules": {m.table: dict(m.metrics) for m in tables.MACHINES}}
    kept = store.find("equation-sets", inputs)
    if kept is not None:
        return kept
    rows = [row for found in tables.rows() for row in _equation_rows(found)]
    store.put("equation-sets", inputs, rows)
    return rows


def _equation_rows(found: tables.Row) -> list[Row]:
    from cipherassay.circuits import tables

    (machine,) = [machine for machine in tables.MACHINES if machine.table == found.table]
    return [
        Row(
            cipher="Serpent",
            variant=found.variant,
            level="circuit",
            target=machine.target,
            configuration=found.configuration,
            metric=metric,
            value=value,
            basis="synthesized",
            reference=found.printed[metric],
            reference_source=f"{tables.PAPER}, Table {found.table[-1]}",
            tools=f"counted in {found.equations}.txt",
            command=f"assay circuit analyse python/cipherassay/circuits/equations/{found.equations}.txt"
            f" --target {machine.target}",
        )
        for metric, value in found.ours.items()
    ]
