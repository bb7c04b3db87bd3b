"""Rows and samples that tests put into a store."""

from __future__ import annotations

from cipherassay.results import Row, Sample, Store

LINES = 40


def rows(value: float) -> list[Row]:
    return [
        Row(part=str(n), metric="cycles", value=value, basis="measured", command="assay measure rc6")
        for n in range(LINES)
    ]


def put(store: Store, name: str, value: float) -> None:
    made = rows(value)
    store.put(name, {"value": value}, made, [Sample(made[0], [value] * 500, [value] * 500)])
