"""The circuits of the library as rows, kept in the store like everything that the report shows."""

from __future__ import annotations

from cipherassay.results import Row, Store


def circuit_rows(store: Store) -> list[Row]:
    """Return a row per metric of every stored circuit; the store has them afterwards, too."""
    from cipherassay.circuits import library
    from cipherassay.circuits.rows import stored_rows
    from cipherassay.results import digest

    stored = list(library.stored())
    inputs = {"library": digest({str(s.path.relative_to(library.FOLDER)): s.text for s in stored})}
    kept = store.find("circuits", inputs)
    if kept is not None:
        return kept
    rows = [row for item in stored for row in stored_rows(item.document)]
    store.put("circuits", inputs, rows)
    return rows
