"""Reading one published-data file into its records, with every mistake named by file and line."""

from __future__ import annotations

import itertools
import re
import tomllib
from collections.abc import Iterable, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

from cipherassay.errors import DescriptionError, Place, nearest
from cipherassay.published._place import Source
from cipherassay.published._schema import (
    LEVELS,
    METRICS,
    OBTAINED,
    OPERATIONS,
    SELECTABLE,
    Citation,
    Erratum,
    Omitted,
    PublishedPaper,
    PublishedRow,
    PublishedTable,
    Relation,
    Selector,
    split_metric,
)

SCHEMA = 1
WORDS = {"operation": OPERATIONS, "level": LEVELS, "obtained": OBTAINED}
ROW_FIELDS = frozenset(
    ["cipher", "variant", "part", "operation", "key_bits", "strategy", "level", "target", "configuration", "metric", "unit", "obtained", "note", "where"]
)
TABLE_FIELDS = frozenset(["id", "number", "title", "where", "conditions", "defaults", "columns", "rows", "grid"])
GRID_FIELDS = frozenset(["defaults", "columns", "rows"])
NOTATION = re.compile(r"\d+([(/]+\d+\)?)*")


def read_paper(path: Path) -> PublishedPaper:
    """Read one file.

    Raises
    ------
    DescriptionError
        ``B001`` not TOML; ``B002`` unknown field; ``B003`` field missing; ``B004`` a value outside its type or
        vocabulary; ``B005`` a row stated twice in one table; ``B006`` more or fewer values than columns;
        ``B011`` an id used twice.
    """
    return _Reader(Source(path)).paper()


class _Reader:
    """One pass over one file."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.name = source.path.stem

    def fail(self, code: str, message: str, line: int, *notes: str, help: str = "") -> DescriptionError:
        return DescriptionError(code, message, places=[self.source.place(line)], notes=notes, help=help)

    def paper(self) -> PublishedPaper:
        data = self.parse()
        self.fields(data, {"schema", "citation", "table", "omitted", "relation", "erratum"}, "the file", 1)
        if self.need(data, "schema", int, "the file", 1) != SCHEMA:
            raise self.fail("B004", f"schema {data['schema']} is not known", 1, f"known: {SCHEMA}")
        blocks = {name: self.blocks(data, name) for name in ("table", "omitted", "relation", "erratum")}
        return PublishedPaper(
            id=self.name,
            citation=self.citation(self.need(data, "citation", dict, "the file", 1)),
            tables=tuple(self.table(block, n, line) for block, n, line in blocks["table"]),
            omitted=tuple(self.omitted(block, line) for block, _, line in blocks["omitted"]),
            relations=tuple(self.relation(block, line) for block, _, line in blocks["relation"]),
            errata=tuple(self.erratum(block, line) for block, _, line in blocks["erratum"]),
            file=str(self.source.path),
        )

    def parse(self) -> dict[str, Any]:
        try:
            return tomllib.loads(self.source.text, parse_float=Decimal)
        except tomllib.TOMLDecodeError as error:
            found = re.search(r"at line (\d+)", str(error))
            line = int(found[1]) if found else len(self.source.lines)
            raise self.fail("B001", f"{self.source.path.name} is not TOML", line, str(error)) from error

    def blocks(self, data: Mapping[str, Any], name: str) -> list[tuple[dict[str, Any], int, int]]:
        """The blocks ``[[name]]`` with their number and line; their ids must differ."""
        found = []
        seen: dict[str, int] = {}
        for n, block in enumerate(data.get(name, [])):
            line = self.source.header(name, n)
            if name != "omitted":
                key = self.need(block, "id", str, f"[[{name}]]", line)
                if key in seen:
                    raise self.fail(
                        "B011", f"{name} `{key}` is defined twice", line, f"first on line {seen[key]}"
                    )
                seen[key] = line
            found.append((block, n, line))
        return found

    def citation(self, block: dict[str, Any]) -> Citation:
        line = self.source.header("citation", 0)
        self.fields(block, {"authors", "title", "venue", "year", "note"}, "[citation]", line)
        return Citation(
            authors=tuple(self.need(block, "authors", list, "[citation]", line)),
            title=self.need(block, "title", str, "[citation]", line),
            venue=self.need(block, "venue", str, "[citation]", line),
            year=self.need(block, "year", int, "[citation]", line),
            note=block.get("note", ""),
        )

    def table(self, block: dict[str, Any], number: int, line: int) -> PublishedTable:
        what = f"table `{block['id']}`"
        self.fields(block, TABLE_FIELDS, what, line)
        where = self.need(block, "where", str, what, line)
        shared = {"table": block["id"], "where": where} | self.row_fields(
            block.get("defaults", {}), what, line
        )
        rows: list[PublishedRow] = []
        first = 0
        for grid in [block, *block.get("grid", [])]:
            if grid is not block:
                self.fields(grid, GRID_FIELDS, what, line)
            defaults = shared | self.row_fields(grid.get("defaults", {}), what, line)
            columns = self.columns(grid.get("columns", []), what, line)
            for n, entry in enumerate(grid.get("rows", [])):
                rows += self.cells(entry, defaults, columns, self.source.row(line, first + n))
            first += len(grid.get("rows", []))
        self.distinct(rows)
        return PublishedTable(
            id=block["id"], number=block.get("number", ""), title=self.need(block, "title", str, what, line),
            where=where, conditions=block.get("conditions", ""), rows=tuple(rows), line=line,
        )  # fmt: skip

    def columns(self, axes: list[list[dict[str, Any]]], what: str, line: int) -> list[dict[str, Any]]:
        """The product of the axes: the last one runs fastest, as printed from left to right."""
        checked = [[self.row_fields(cell, what, line) for cell in axis] for axis in axes]
        product: list[dict[str, Any]] = []
        for cells in itertools.product(*checked):
            merged: dict[str, Any] = {}
            for cell in cells:
                merged |= cell
            product.append(merged)
        return product if axes else []

    def cells(
        self, entry: dict[str, Any], defaults: dict[str, Any], columns: list[dict[str, Any]], line: int
    ) -> list[PublishedRow]:
        """The rows that one line states: one value, or one per column; ``-`` stands for an empty cell."""
        own = self.row_fields({k: v for k, v in entry.items() if k not in ("value", "values")}, "row", line)
        if "value" in entry:
            return [self.row(defaults | own, entry["value"], line)]
        values = self.need(entry, "values", list, "row", line)
        if len(values) != len(columns):
            raise self.fail("B006", f"a row has {len(values)} values for {len(columns)} columns", line)
        pairs = zip(columns, values, strict=True)
        return [self.row(defaults | column | own, value, line) for column, value in pairs if value != "-"]

    def row(self, fields: dict[str, Any], value: object, line: int) -> PublishedRow:
        for name in ("metric", "unit", "obtained"):
            self.need(fields, name, str, "row", line)
        base = split_metric(fields["metric"])[0]
        if base not in METRICS:
            raise self.fail("B004", f"unknown metric `{fields['metric']}`", line, help=nearest(base, METRICS))
        if fields["unit"] != METRICS[base]:
            note = f"expected `{METRICS[base]}`, found `{fields['unit']}`"
            raise self.fail("B004", f"metric `{fields['metric']}` has another unit", line, note)
        number, printed = self.number(value, fields["unit"], line)
        return PublishedRow(
            paper=self.name, value=number, printed=printed, line=line, **({"cipher": ""} | fields)
        )

    def number(self, value: object, unit: str, line: int) -> tuple[float, str]:
        """The value and its digits; registers may be printed by kind (``20/12``, ``12(18)``) and are added up."""
        if isinstance(value, (int, Decimal)) and not isinstance(value, bool):
            return float(value), str(value)
        if unit == "registers" and isinstance(value, str) and NOTATION.fullmatch(value):
            return float(sum(int(n) for n in re.findall(r"\d+", value))), value
        raise self.fail("B004", "a value is a number", line, f"found {value!r}")

    def distinct(self, rows: Iterable[PublishedRow]) -> None:
        seen: dict[tuple[object, ...], PublishedRow] = {}
        for row in rows:
            other = seen.setdefault(row.identity, row)
            if other is not row:
                note = f"the same quantity is on line {other.line}: {describe(row)}"
                raise self.fail("B005", f"table `{row.table}` states a quantity twice", row.line, note)

    def omitted(self, block: dict[str, Any], line: int) -> Omitted:
        self.fields(block, {"number", "title", "why"}, "[[omitted]]", line)
        texts = {
            name: self.need(block, name, str, "[[omitted]]", line) for name in ("number", "title", "why")
        }
        return Omitted(**texts, line=line)

    def relation(self, block: dict[str, Any], line: int) -> Relation:
        what = f"relation `{block['id']}`"
        known = {"id", "says", "expression", "over", "bind", "per", "instances", "cut", "constants"}
        self.fields(block, known, what, line)
        per = tuple(self.need(block, "per", list, what, line))
        for name in per:
            if name not in SELECTABLE:
                raise self.fail(
                    "B002", f"{what} groups by unknown field `{name}`", line, help=nearest(name, SELECTABLE)
                )
        bind = self.need(block, "bind", dict, what, line)
        return Relation(
            id=block["id"], says=self.need(block, "says", str, what, line),
            expression=self.need(block, "expression", str, what, line),
            over=self.selector(block.get("over", {}), what, line),
            bind={name: self.selector(chosen, what, line) for name, chosen in bind.items()},
            per=per, instances=self.need(block, "instances", int, what, line), cut=block.get("cut", False),
            constants=tuple(block.get("constants", [])), line=line,
        )  # fmt: skip

    def erratum(self, block: dict[str, Any], line: int) -> Erratum:
        what = f"erratum `{block['id']}`"
        self.fields(
            block, {"id", "where", "printed", "follows", "relation", "instances", "applies"}, what, line
        )
        texts = {
            name: self.need(block, name, str, what, line) for name in ("id", "where", "printed", "follows")
        }
        chosen = {
            name: tuple(self.selector(one, what, line) for one in block.get(name, []))
            for name in ("instances", "applies")
        }
        return Erratum(**texts, relation=block.get("relation", ""), **chosen, line=line)

    def selector(self, block: Mapping[str, Any], what: str, line: int) -> Selector:
        self.fields(block, frozenset(SELECTABLE), what, line)
        return {name: tuple(v) if isinstance(v, list) else (v,) for name, v in block.items()}

    def row_fields(self, block: dict[str, Any], what: str, line: int) -> dict[str, Any]:
        self.fields(block, ROW_FIELDS, what, line)
        for name, value in block.items():
            self.typed(value, int if name == "key_bits" else str, name, what, line)
            if name in WORDS and value not in WORDS[name]:
                known = (word for word in WORDS[name] if word)
                raise self.fail("B004", f"unknown {name} `{value}`", line, help=nearest(value, known))
        return block

    def fields(self, block: Mapping[str, Any], known: Iterable[str], what: str, line: int) -> None:
        for name in block:
            if name not in known:
                at = line if what == "row" else self.source.key(line, name)
                raise self.fail(
                    "B002", f"{what} has an unknown field `{name}`", at, help=nearest(name, known)
                )

    def need(self, block: Mapping[str, Any], name: str, kind: type, what: str, line: int) -> Any:
        if name not in block:
            raise self.fail("B003", f"{what} lacks `{name}`", line)
        self.typed(block[name], kind, name, what, line)
        return block[name]

    def typed(self, value: object, kind: type, name: str, what: str, line: int) -> None:
        if not isinstance(value, kind) or isinstance(value, bool) is not (kind is bool):
            note = f"expected {kind.__name__}, found {value!r}"
            raise self.fail("B004", f"`{name}` of {what} has another type", line, note)


def describe(row: PublishedRow) -> str:
    """What a row is of, in one line."""
    words = (row.cipher, row.variant, row.part, row.operation, row.key_bits, row.target, row.configuration)
    return f"{' '.join(str(word) for word in words if word)} {row.metric}".strip()


__all__ = ["Place", "describe", "read_paper"]
