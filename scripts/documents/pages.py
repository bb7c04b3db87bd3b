"""The pages of the reference that are written from the package's data: rows, errors, and the catalogue."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

from scripts.documents import error_codes, library
from scripts.documents.markdown import cell, code, plain, table

from cipherassay import ciphers, errors, families, published, remedies, strategies
from cipherassay.hardware.libraries import technology
from cipherassay.lang.naming import STRUCTURES
from cipherassay.results import row, tables
from cipherassay.results.meanings import COLUMNS, TABLES
from cipherassay.results.metrics import METRICS, STATISTICS
from cipherassay.results.schema import sql_type
from cipherassay.strategies.preferences import preference

PARTS = {
    "A": "Kept results", "B": "Published numbers", "C": "Circuits of S-boxes", "D": "Descriptions and "
    "their language",
    "E": "Small processors", "H": "Hardware", "J": "Java",
    "K": "Known answers", "L": "Layouts and linear layers", "M": "Processors", "N": "Native code and its "
    "measurement",
    "P": "Programs", "R": "Results and the report", "S": "Source code and passes", "T": "Outside tools",
    "U": "Usage",
    "W": "The explorer", "X": "x86-32",
}  # fmt: skip
"""What the first letter of an error's code stands for."""

WIDE = "---\nhide: [toc]\n---\n"
"""Begins a page of one wide table: the contents make room for it."""


def pages() -> Iterator[tuple[str, str]]:
    """Yield the path and the text of each page."""
    made = {
        "index": _index, "library": library.page, "rows": _rows, "errors": _errors, "ciphers": _ciphers,
        "processors": _processors, "technologies": _technologies, "papers": _papers,
    }  # fmt: skip
    for name, page in made.items():
        yield f"reference/{name}.md", page()


def _index() -> str:
    return """# Reference

Written from the code when the site is built.

* [The command](command/index.md): every verb with its arguments and options
* [The Python library](library.md): what `import cipherassay as ca` gives
* [Rows, metrics, tables](rows.md): what a number says, and what SQL sees
* [Errors](errors.md): every code, its message, how to mend it
* [Ciphers and strategies](ciphers.md), [processors](processors.md), [technologies](technologies.md),
  [papers](papers.md): the catalogue
"""


def _rows() -> str:
    columns = [(code(name), code(sql_type(name)), COLUMNS[name]) for name in tables.COLUMNS]
    metrics = [(code(name), one.unit, one.better, one.meaning) for name, one in METRICS.items()]
    views = [(code(name), "table" if name in ("results", "samples", "runs", "metrics") else "view", text)
             for name, text in TABLES.items()]  # fmt: skip
    words = [(code(name), ", ".join(map(code, some))) for name, some in _vocabularies().items()]
    statistics = ", ".join(code(f"_{name}") for name in STATISTICS)
    return "\n".join([
        "# Rows, metrics, tables\n",
        "A number is a row, in Python `cipherassay.results.Row`, in JSON an object, in SQL a line of "
        "`results`. "
        "[The numbers as data](../data.md) has ten questions in SQL.\n",
        "## Fields of a row\n", table(("field", "type in SQL", "meaning"), columns),
        "Some fields have one of a list of words:\n", table(("field", "words"), words),
        "## Metrics\n",
        f"A name with {statistics} behind it is that statistic over the inputs: `cycles_average`. `better` "
        f"is empty "
        "where neither direction is.\n",
        table(("metric", "unit", "better", "meaning"), metrics),
        "## Tables and views\n", table(("name", "kind", "a line is"), views),
    ])  # fmt: skip


def _vocabularies() -> dict[str, tuple[str, ...]]:
    return {
        "operation": row.OPERATIONS, "level": row.LEVELS, "basis": row.BASES, "key_mode": published.KEY_MODES,
    }  # fmt: skip


def _errors() -> str:
    raised = error_codes.raised()
    parts: dict[str, list[str]] = {}
    for name in sorted(error_codes.quoted()):
        parts.setdefault(name[0], []).append(name)
    text = [
        "# Errors\n",
        "An error says what is wrong, where, what was expected and found, and how to mend it. Its code "
        "stays the same; "
        "`…` stands for a name, a number or a place. What stands above a table mends those errors that do "
        "not say it themselves; `assay help CODE` prints it. The exit code is the kind of the error:\n",
        table(("exit code", "kind"), [(one.exit_code, cell((one.__doc__ or "").strip(".")))
              for one in errors.AssayError.__subclasses__() if one.__module__ == errors.__name__]),
    ]  # fmt: skip
    for letter, names in parts.items():
        text.append(f"## {letter}: {PARTS[letter]}\n")
        for prefix in dict.fromkeys(name[:remedies.PREFIX] for name in names):
            group = remedies.groups()[prefix]
            lines = (
                (f"`{name}`", _several(raised, name, "message"), _several(raised, name, "help"))
                for name in names if name.startswith(prefix)
            )  # fmt: skip
            text += [f"### {prefix}xx: {group.about}\n", f"{plain(group.mend)}\n"]
            text.append(table(("code", "message", "how to mend it"), lines))
    return "\n".join(text)


def _several(raised: dict[str, list[error_codes.Raised]], name: str, what: str) -> str:
    """Return the texts of an error, each once; one whose whole text is put in says nothing."""
    texts = (str(getattr(one, what)) for one in raised.get(name, ()))
    shapes = dict.fromkeys(re.sub(r"\{\}", "…", text) for text in texts if text.replace("{}", "").strip())
    return "<br>".join(map(plain, shapes))


def _ciphers() -> str:
    known = [(name, ciphers.load(name)) for name in ciphers.names()]
    text = [
        "# Ciphers and strategies\n", "## Ciphers\n",
        f"{len(known)} ciphers, permutations and functions, by how they are built. Sizes are in bits.\n",
    ]
    for structure in STRUCTURES:
        lines = [
            (code(ciphers.argument(one)), one.block_bits, cell(one.key_bits if one.keyed else ()),
             one.tweak_bits or None, code(preference(one)), plain(_citation(Path(one.file))))
            for _, one in known
            if one.structure == structure
        ]  # fmt: skip
        if lines:
            heads = ("name", "block", "key", "tweak", "strategy", "what it is")
            text += [f"### {structure}\n", table(heads, lines)]
    found = [strategies.load(name) for name in strategies.names()]
    text += [
        "## Strategies\n", "Which form of a description and which passes make the program that is written.\n",
        table(("strategy", "title", "what it does"),
              [(code(one.name), plain(one.title), plain(one.description)) for one in found]),
    ]  # fmt: skip
    return "\n".join(text)


def _citation(file: Path) -> str:
    """Return the first paragraph of a cipher's file: its name and its source."""
    text = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or ""
    return text.partition("\n\n")[0]


def _processors() -> str:
    entries = [families.family_of(name).entry(name) for name in families.names()]
    names = [field.name for field in fields(families.Entry)]
    heads = sorted(names, key=("title", "name").__contains__, reverse=True)
    lines = [[code(one.name), *(plain(cell(getattr(one, name))) for name in heads[1:])] for one in entries]
    return "\n".join([
        WIDE, "# Processors\n",
        "`issue` is instructions or micro-operations begun in a cycle, `mhz` the clock that the file states, "
        "`confidence` how sure the model as a whole is. `assay show NAME` prints every fact with "
        "its source. "
        "[Processors](../processors.md), [x86-32](../x86.md) and [small processors](../embedded.md) say "
        "what is "
        "modelled.\n", table(heads, lines),
    ])  # fmt: skip


def _technologies() -> str:
    lines: list[tuple[Any, ...]] = []
    for name in technology.names():
        one = technology.load(name)
        gate = one.gate_equivalent_um2 if one.fpga is None else None
        timed = "yes" if one.liberty is not None or one.fpga is not None else "no"
        lines.append((code(name), plain(one.title), plain(one.process), len(one.costs()) or None, gate, timed,
                      plain(one.obtain.how())))  # fmt: skip
    return "\n".join([
        WIDE, "# Technologies\n", "Standard cells and field-programmable gate arrays; those with timing "
        "serve synthesis, the others count cells. [Hardware](../hardware.md) has the flow.\n",
        table(("name", "title", "process", "cells", "NAND2 (µm²)", "timing", "how to get it"), lines),
    ])  # fmt: skip


def _papers() -> str:
    lines = [
        (code(one.id), plain(one.citation.title), plain(", ".join(one.citation.authors)), one.citation.year,
         len(one.tables), len(one.rows), len(one.errata))
        for one in published.load()
    ]  # fmt: skip
    return "\n".join([
        WIDE, "# Papers\n", "Published tables that the package holds as data, with the relations that must "
        "hold between their numbers and what breaks them.\n",
        table(("name", "title", "authors", "year", "tables", "numbers", "errata"), lines),
    ])  # fmt: skip
