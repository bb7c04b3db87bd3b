"""Reading one published-data file into its records, with every mistake named by file and line."""

from __future__ import annotations

import itertools
import re
import tomllib
from collections.abc import Iterable, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

from cipherassay.errors import nearest
from cipherassay.published._place import Source
from cipherassay.published._schema import (
    KEY_MODES,
    LEVELS,
    METRICS,
    OBTAINED,
    OPERATIONS,
    SELECTABLE,
    STATISTICS,
    Citation,
    Erratum,
    Model,
    OmittedTable,
    Part,
    PublishedRow,
    PublishedTable,
    Relation,
    Selector,
    Word,
    split_metric,
)
from cipherassay.published._typed import NUMBER, TypedReader

SCHEMA = 1
BLOCKS = ("table", "omitted", "relation", "erratum", "model", "word")
WORDS = {
    "operation": OPERATIONS, "level": LEVELS, "obtained": OBTAINED, "statistic": STATISTICS,
    "key_mode": KEY_MODES,
}  # fmt: skip
SAID_FIELDS = ("implementation", "architecture", "key_mode", "speed_grade")
ROW_FIELDS = (*SELECTABLE[1:], *SAID_FIELDS, "statistic", "unit", "obtained", "note", "where")
INTEGERS = ("key_bits", "speed_grade")
TABLE_FIELDS = (
    "id",
    "number",
    "title",
    "where",
    "conditions",
    "defaults",
    "columns",
    "rows",
    "grid",
    "summary",
)
GRID_FIELDS = ("defaults", "columns", "rows")
CITATION_FIELDS = ("authors", "title", "venue", "year", "note")
RELATION_FIELDS = (
    "id", "says", "expression", "over", "bind", "per", "instances", "cut", "tolerance", "constants",
)  # fmt: skip
MODEL_FIELDS = ("processor", "technology", "target")
ERRATUM_FIELDS = ("id", "where", "printed", "follows", "relation", "instances", "applies")
NOTATION = re.compile(r"\d+([(/]+\d+\)?)*")


def read_part(path: Path, paper: str) -> Part:
    """Read one file of the paper.

    Raises
    ------
    DescriptionError
        ``B001`` not TOML; ``B002``, ``B016`` unknown field; ``B018`` to ``B022`` a value that cannot be;
        ``B003`` field missing; ``B004`` a value outside its type
        or vocabulary; ``B005`` a quantity stated twice in one table; ``B006`` more or fewer values than
        columns.
    """
    return _Reader(Source(path), paper).part()


class _Reader(TypedReader):
    """One pass over one file."""

    def __init__(self, source: Source, paper: str) -> None:
        super().__init__(source)
        self.name = paper

    def part(self) -> Part:
        data = self.parse()
        self.fields(data, ("schema", "citation", *BLOCKS), "the file", 1)
        if self.need(data, "schema", int, "the file", 1) != SCHEMA:
            raise self.fail("B018", f"schema {data['schema']} is not known", 1, f"known: {SCHEMA}")
        found = {
            name: [
                (block, self.source.header(name, n))
                for n, block in enumerate(self.listed(data, name, dict, "the file", 1))
            ]
            for name in BLOCKS
        }
        return Part(
            citation=self.citation(self.need(data, "citation", dict, "the file", 1))
            if "citation" in data
            else None,
            tables=tuple(self.table(*one) for one in found["table"]),
            omitted=tuple(self.omitted(*one) for one in found["omitted"]),
            relations=tuple(self.relation(*one) for one in found["relation"]),
            errata=tuple(self.erratum(*one) for one in found["erratum"]),
            models=tuple(self.model(*one) for one in found["model"]),
            words=tuple(self.word(*one) for one in found["word"]),
            place=self.source.place(1),
        )

    def parse(self) -> dict[str, Any]:
        try:
            return tomllib.loads(self.source.text, parse_float=Decimal)
        except tomllib.TOMLDecodeError as error:
            found = re.search(r"at line (\d+)", str(error))
            line = int(found[1]) if found else len(self.source.lines)
            raise self.fail("B001", f"{self.source.path.name} is not TOML", line, str(error)) from error

    def citation(self, block: dict[str, Any]) -> Citation:
        line = self.source.header("citation", 0)
        self.fields(block, CITATION_FIELDS, "[citation]", line)
        return Citation(
            authors=tuple(self.listed(block, "authors", str, "[citation]", line)),
            title=self.need(block, "title", str, "[citation]", line),
            venue=self.need(block, "venue", str, "[citation]", line),
            year=self.need(block, "year", int, "[citation]", line),
            note=self.maybe(block, "note", "", "[citation]", line),
        )

    def table(self, block: dict[str, Any], line: int) -> PublishedTable:
        what = f"table `{self.need(block, 'id', str, '[[table]]', line)}`"
        self.fields(block, TABLE_FIELDS, what, line)
        where = self.need(block, "where", str, what, line)
        rows = self.rows(block, {"table": block["id"], "where": where}, what, line)
        self.distinct(rows)
        return PublishedTable(
            id=block["id"],
            number=self.maybe(block, "number", "", what, line),
            title=self.need(block, "title", str, what, line),
            where=where,
            conditions=self.maybe(block, "conditions", "", what, line),
            rows=tuple(rows),
            summary=self.maybe(block, "summary", False, what, line),
            place=self.source.place(line),
        )

    def rows(self, block: dict[str, Any], shared: dict[str, Any], what: str, line: int) -> list[PublishedRow]:
        """The rows of a table and of its grids."""
        shared = shared | self.row_fields(self.maybe(block, "defaults", {}, what, line), what, line)
        rows: list[PublishedRow] = []
        count = 0
        for grid in (block, *self.listed(block, "grid", dict, what, line)):
            if grid is not block:
                self.fields(grid, GRID_FIELDS, what, line)
            defaults = shared | self.row_fields(self.maybe(grid, "defaults", {}, what, line), what, line)
            columns = self.columns(self.listed(grid, "columns", list, what, line), what, line)
            for entry in self.listed(grid, "rows", dict, what, line):
                rows += self.cells(entry, defaults, columns, self.source.row(line, count))
                count += 1
        return rows

    def columns(self, axes: list[list[dict[str, Any]]], what: str, line: int) -> list[dict[str, Any]]:
        """The product of the axes: the last one runs fastest, as printed from left to right."""
        checked = [
            [self.row_fields(self.typed(cell, dict, "columns", what, line), what, line) for cell in axis]
            for axis in axes
        ]
        if not axes:
            return []
        return [
            dict(itertools.chain(*(cell.items() for cell in cells))) for cells in itertools.product(*checked)
        ]

    def cells(
        self, entry: dict[str, Any], defaults: dict[str, Any], columns: list[dict[str, Any]], line: int
    ) -> list[PublishedRow]:
        """The quantities of one line: one value, or one per column; ``-`` stands for an empty cell."""
        own = self.row_fields({k: v for k, v in entry.items() if k not in ("value", "values")}, "row", line)
        if "value" in entry:
            return [self.row(defaults | own, entry["value"], line)]
        values = self.need(entry, "values", list, "row", line)
        if len(values) != len(columns):
            raise self.fail("B006", f"a row has {len(values)} values for {len(columns)} columns", line)
        pairs = zip(columns, values, strict=True)
        return [self.row(defaults | column | own, value, line) for column, value in pairs if value != "-"]

    def row(self, fields: dict[str, Any], value: object, line: int) -> PublishedRow:
        for name in ("metric", "unit", "obtained", "level"):
            self.need(fields, name, str, "row", line)
        fields = dict(fields)
        if statistic := fields.pop("statistic", ""):
            fields["metric"] += f"_{statistic}"
        base = split_metric(fields["metric"])[0]
        if base not in METRICS:
            raise self.fail("B019", f"unknown metric `{fields['metric']}`", line, help=nearest(base, METRICS))
        if fields["unit"] != METRICS[base]:
            note = f"expected `{METRICS[base]}`, found `{fields['unit']}`"
            raise self.fail("B020", f"metric `{fields['metric']}` has another unit", line, note)
        number, printed = self.number(value, fields["unit"], line)
        place = self.source.place(line)
        return PublishedRow(
            paper=self.name, value=number, printed=printed, place=place, **({"cipher": ""} | fields)
        )

    def number(self, value: object, unit: str, line: int) -> tuple[float, str]:
        """The value and its digits; registers printed by kind (``20/12``, ``12(18)``) are added up."""
        if isinstance(value, NUMBER) and not isinstance(value, bool):
            return float(value), str(value)
        if unit == "registers" and isinstance(value, str) and NOTATION.fullmatch(value):
            return float(sum(int(n) for n in re.findall(r"\d+", value))), value
        raise self.fail("B021", "a value is a number", line, f"found {value!r}")

    def distinct(self, rows: Iterable[PublishedRow]) -> None:
        seen: dict[tuple[object, ...], PublishedRow] = {}
        for row in rows:
            other = seen.setdefault(row.identity, row)
            if other is not row:
                note = f"the same quantity is on line {other.place.line}: {row.describe()}"
                message = f"table `{row.table}` states a quantity twice"
                raise self.fail("B005", message, row.place.line or 1, note)

    def omitted(self, block: dict[str, Any], line: int) -> OmittedTable:
        names = ("number", "title", "why")
        self.fields(block, names, "[[omitted]]", line)
        texts = {name: self.need(block, name, str, "[[omitted]]", line) for name in names}
        return OmittedTable(**texts, place=self.source.place(line))

    def relation(self, block: dict[str, Any], line: int) -> Relation:
        what = f"relation `{self.need(block, 'id', str, '[[relation]]', line)}`"
        self.fields(block, RELATION_FIELDS, what, line)
        self.need(block, "per", list, what, line)
        per = tuple(self.listed(block, "per", str, what, line))
        for name in per:
            if name not in SELECTABLE:
                message = f"{what} groups by unknown field `{name}`"
                raise self.fail("B016", message, self.source.key(line, "per"), help=nearest(name, SELECTABLE))
        bind = self.need(block, "bind", dict, what, line)
        return Relation(
            id=block["id"],
            says=self.need(block, "says", str, what, line),
            expression=self.need(block, "expression", str, what, line),
            over=self.selector(self.maybe(block, "over", {}, what, line), what, line),
            bind={
                name: self.selector(self.typed(chosen, dict, "bind", what, line), what, line)
                for name, chosen in bind.items()
            },
            per=per,
            instances=self.need(block, "instances", int, what, line),
            cut=self.maybe(block, "cut", False, what, line),
            tolerance=float(self.maybe(block, "tolerance", 0.0, what, line)),
            constants=self.constants(block, what, line),
            place=self.source.place(line),
        )

    def erratum(self, block: dict[str, Any], line: int) -> Erratum:
        what = f"erratum `{self.need(block, 'id', str, '[[erratum]]', line)}`"
        self.fields(block, ERRATUM_FIELDS, what, line)
        texts = {name: self.need(block, name, str, what, line) for name in ERRATUM_FIELDS[:4]}
        return Erratum(
            **texts,
            relation=self.maybe(block, "relation", "", what, line),
            instances=self.selectors(block, "instances", what, line),
            applies=self.selectors(block, "applies", what, line),
            place=self.source.place(line),
        )

    def model(self, block: dict[str, Any], line: int) -> Model:
        what = "[[model]]"
        self.fields(block, MODEL_FIELDS, what, line)
        kind = "technology" if "technology" in block else "processor"
        name, target = (self.need(block, field, str, what, line) for field in (kind, "target"))
        return Model(name, target)

    def word(self, block: dict[str, Any], line: int) -> Word:
        what = f"word `{self.need(block, 'word', str, '[[word]]', line)}`"
        self.fields(block, ("word", *SAID_FIELDS), what, line)
        says = self.row_fields({name: value for name, value in block.items() if name != "word"}, what, line)
        return Word(block["word"], says, self.source.place(line))

    def constants(self, block: Mapping[str, Any], what: str, line: int) -> tuple[Mapping[str, object], ...]:
        entries = self.listed(block, "constants", dict, what, line)
        for entry in entries:
            for name, value in entry.items():
                if name not in SELECTABLE:
                    self.typed(value, NUMBER, "constants", what, line)
        return tuple(entries)

    def selectors(self, block: Mapping[str, Any], name: str, what: str, line: int) -> tuple[Selector, ...]:
        return tuple(self.selector(one, what, line) for one in self.listed(block, name, dict, what, line))

    def selector(self, block: Mapping[str, Any], what: str, line: int) -> Selector:
        self.fields(block, SELECTABLE, what, line)
        chosen = {name: tuple(v) if isinstance(v, list) else (v,) for name, v in block.items()}
        if "key_bits" in chosen:
            chosen["key_bits"] = tuple(bits or None for bits in chosen["key_bits"])
        return chosen

    def row_fields(self, block: dict[str, Any], what: str, line: int) -> dict[str, Any]:
        self.fields(block, ROW_FIELDS, what, line)
        for name, value in block.items():
            self.typed(value, int if name in INTEGERS else str, name, what, line)
            if name in WORDS and value not in WORDS[name]:
                known = (word for word in WORDS[name] if word)
                raise self.fail("B022", f"unknown {name} `{value}`", line, help=nearest(value, known))
        return block
