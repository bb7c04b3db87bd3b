"""`assay show`: a cipher's facts, its program's statistics, its program's text; or a paper's tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from cipherassay.console.output import Json, show_table, write_json
from cipherassay.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from cipherassay._engine import Program
    from cipherassay.ciphers import Cipher
    from cipherassay.operation_changes import Change
    from cipherassay.published import PublishedPaper


COUNTS = {"static": "written", "dynamic": "executed"}
"""The two counts of operations, and what they are called here."""


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("show")(show)


def show(
    name: Annotated[
        str, typer.Argument(help="A cipher, a cipher file, or a published paper.", show_default=False)
    ],
    key_bits: Annotated[int, typer.Option("--key-bits", help="Key size (default: the cipher's first).")] = 0,
    variant: Annotated[str, typer.Option(help="The cipher's variant, where it has several.")] = "",
    form: Annotated[str, typer.Option(help="An alternative formulation of the cipher.")] = "",
    strategy: Annotated[str, typer.Option(help="Show the program as this strategy transforms it.")] = "",
    text: Annotated[bool, typer.Option("--text", help="Print the program's text form only.")] = False,
    beforehand: Annotated[
        bool,
        typer.Option(
            "--precomputation", help="Show what need not be computed for every key, and not for every block."
        ),
    ] = False,
    orders: Annotated[
        bool,
        typer.Option("--byte-orders", help="Show what the choice of the order of bytes in words saves."),
    ] = False,
    json: Json = False,
) -> None:
    """Show a cipher (facts, program statistics, text form) or a published paper (tables, errata)."""
    from cipherassay import published
    from cipherassay.ciphers import find, load, meant

    papers = {paper.id: paper for paper in published.load()}
    if name in papers:
        _show_paper(papers[name], json)
        return
    if not name.endswith(".py") and "/" not in name and find(name) is None:
        raise UsageError("U017", f"unknown cipher or paper `{name}`", help=meant(name, papers))
    cipher = load(name)
    if beforehand:
        _show_precomputation(cipher, variant, json=json)
        return
    if orders:
        _show_byte_orders(cipher, cipher.key_size(key_bits), variant, form, json=json)
        return
    program = _program(cipher, cipher.key_size(key_bits), variant, form, strategy)
    if text and not json:
        typer.echo(program.text(), nl=False)
    elif json:
        facts = _facts(cipher, program)
        write_json(facts | {"functions": _functions(program)} | ({"text": program.text()} if text else {}))
    else:
        _print_cipher(cipher, program)


def _program(cipher: Cipher, key_bits: int, variant: str, form: str, strategy: str) -> Program:
    if not strategy:
        return cipher.compile(key_bits, variant, form)
    from cipherassay.strategies import program

    if form:
        raise UsageError(
            "U016", "--form and --strategy are both given", help="a strategy chooses the form that it needs"
        )
    return program(cipher, key_bits, strategy, variant)


def _facts(cipher: Cipher, program: Program) -> dict[str, Any]:
    from cipherassay.strategies import preferred

    return {
        "name": cipher.slug,
        "title": cipher.name,
        "structure": cipher.structure,
        "source": cipher.source,
        "file": cipher.file,
        "block_bits": cipher.block_bits,
        **({"tweak_bits": cipher.tweak_bits} if cipher.tweak_bits else {}),
        "key_bits": [bits for bits in cipher.key_bits if bits],
        "variants": list(cipher.variants),
        "forms": list(cipher.forms),
        "strategy": preferred(cipher),
        "program": program.meta,
    }


def _functions(program: Program) -> list[dict[str, Any]]:
    return [
        {
            "name": function["name"],
            "parameters": [list(parameter) for parameter in function["params"]],
            "results": function["results"],
            "operations": program.statistics(function["name"]),
            "constant_time": program.constant_time(function["name"]),
        }
        for function in program.functions()
    ]


def _print_cipher(cipher: Cipher, program: Program) -> None:
    for what, value in _facts(cipher, program).items():
        if isinstance(value, dict):
            value = [f"{key} {entry}" for key, entry in value.items()]
        words = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
        if words:
            typer.echo(f"{what.replace('_', ' '):12} {words}")
    functions = _functions(program)
    for function in functions:
        parameters = ", ".join(f"{name}: {type_}" for name, type_ in function["parameters"])
        typer.echo(f"{'function':12} {function['name']}({parameters}) -> {', '.join(function['results'])}")
        typer.echo(f"{'':12} constant time: {function['constant_time']['sentence']}")
    kinds = sorted({kind for function in functions for kind in function["operations"]})
    lines = [
        [
            kind,
            *(
                f["operations"][kind][how] if kind in f["operations"] else None
                for how in COUNTS
                for f in functions
            ),
        ]
        for kind in kinds
    ]
    sums = [sum(n for n in column if n) for column in zip(*(line[1:] for line in lines), strict=True)]
    columns = [
        "operation",
        *(f"{function['name']} ({how})" for how in COUNTS.values() for function in functions),
    ]
    of_key = cipher.keys_text(int(program.meta.get("key_bits", 0)))
    show_table(columns, [*lines, ["sum", *sums]], title=f"operations{of_key}")


def _show_precomputation(cipher: Cipher, variant: str, *, json: bool) -> None:
    from cipherassay.precomputation import KINDS, precomputation

    found = precomputation(cipher, variant)
    if json:
        write_json({"name": cipher.slug, "saved": [one.as_dict() for one in found]})
        return
    _show_changes(
        f"{cipher.name}: operations executed, as written and without what can be computed beforehand",
        ("operations", *KINDS),
        ({"key bits": "key_bits"} if cipher.keyed else {})
        | {"function": "function", "depends on": "depends_on"},
        found,
    )


def _show_byte_orders(cipher: Cipher, key_bits: int, variant: str, form: str, *, json: bool) -> None:
    from cipherassay.byte_orders import KINDS, LAYERS, byte_orders

    found = {bits: byte_orders(cipher, bits, key_bits, variant, form) for bits in LAYERS}
    functions = [one for orders in found.values() for one in orders.functions]
    if json:
        lists = {str(bits): list(orders.orders) for bits, orders in found.items()}
        write_json({"name": cipher.slug, "saved": [one.as_dict() for one in functions], "orders": lists})
        return
    _show_changes(
        f"{cipher.name}{cipher.keys_text(key_bits)}: operations executed, "
        "bytes in the order of the source and in the order chosen",
        ("operations", *KINDS),
        {"word": "word_bits", "function": "function"},
        functions,
    )
    for bits, orders in found.items():
        for line in orders.orders or ("nothing is saved: the orders stay",):
            typer.echo(f"{bits} bits: {line}")


def _show_changes(
    title: str, kinds: Sequence[str], conditions: Mapping[str, str], found: Sequence[Change]
) -> None:
    """Print operations before and after, of each kind; ``conditions`` are columns and their attributes."""
    columns = [*conditions, *(f"{kind}{when}" for kind in kinds for when in ("", ", then")), "saved"]
    lines = [
        (
            *(getattr(one, attribute) for attribute in conditions.values()),
            *(n[kind] for kind in kinds for n in (one.before, one.after)),
            one.saved,
        )
        for one in found
    ]
    show_table(columns, lines, title=title)


def _show_paper(paper: PublishedPaper, json: bool) -> None:
    citation = paper.citation
    if json:
        rows = [row.as_result() | {"table": table.id} for table in paper.tables for row in table.rows]
        errata = [
            {"id": e.id, "where": e.where, "printed": e.printed, "follows": e.follows} for e in paper.errata
        ]
        write_json(
            {"name": paper.id, "title": citation.title, "year": citation.year, "rows": rows, "errata": errata}
        )
        return
    typer.echo(f"{', '.join(citation.authors)}: {citation.title}. {citation.venue}, {citation.year}.")
    lines = [(t.number or t.id, t.title, t.where, len(t.rows)) for t in paper.tables]
    show_table(("table", "title", "where", "numbers"), lines)
    if paper.errata:
        show_table(("erratum", "printed", "follows"), [(e.id, e.printed, e.follows) for e in paper.errata])
