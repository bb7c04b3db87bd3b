"""What `assay show` prints of a cipher: facts, its program's statistics, its program's text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import typer

from cipherassay.console.output import output, show_table, write_json
from cipherassay.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from cipherassay._engine import Program
    from cipherassay.ciphers import Cipher
    from cipherassay.operation_changes import Change

COUNTS = {"static": "written", "dynamic": "executed"}
"""The two counts of operations, and what they are called here."""


def show(
    name: str, key_bits: int, variant: str, form: str, strategy: str, *, text: bool, beforehand: bool,
    orders: bool, json: bool,
) -> None:  # fmt: skip
    """Print a cipher's facts and its program's statistics, its text, or what else is asked for."""
    from cipherassay.ciphers import load

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
    console = output()
    for what, value in _facts(cipher, program).items():
        if isinstance(value, dict):
            value = [f"{key} {entry}" for key, entry in value.items()]
        words = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
        if words:
            console.print(f"{what.replace('_', ' '):12} {words}", markup=False)
    functions = _functions(program)
    for function in functions:
        parameters = ", ".join(f"{name}: {type_}" for name, type_ in function["parameters"])
        results = ", ".join(function["results"])
        console.print(f"{'function':12} {function['name']}({parameters}) -> {results}", markup=False)
        console.print(f"{'':12} constant time: {function['constant_time']['sentence']}", markup=False)
    kinds = sorted({kind for function in functions for kind in function["operations"]})
    of_key = cipher.keys_text(int(program.meta.get("key_bits", 0)))
    for how, said in COUNTS.items():
        lines = [[kind, *(f["operations"].get(kind, {}).get(how) for f in functions)] for kind in kinds]
        sums = [sum(n for n in column if n) for column in zip(*(line[1:] for line in lines), strict=True)]
        columns = [said, *(function["name"] for function in functions)]
        show_table(columns, [*lines, ["sum", *sums]], title=f"operations{of_key}" if how == "static" else "")


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
