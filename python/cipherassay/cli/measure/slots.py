"""`assay measure` on processors of issue slots: scheduled machine code, its bound, its check."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cipherassay.cli.measure import kernels, table
from cipherassay.cli.measure.asked import SEARCH, Asked, Measured, run_jobs
from cipherassay.console.kernel import (
    form_of,
    known_names,
    known_operation,
    one_key,
    refuse_options,
    search_choice,
)
from cipherassay.console.processor import chosen, settings_of
from cipherassay.console.progress import say
from cipherassay.errors import UsageError

if TYPE_CHECKING:
    from cipherassay._engine import Processor
    from cipherassay.processors.requests import Request
    from cipherassay.results import Row

COUNTED = "cycles there are counted in a simulator, not measured"
OF_ONE = ("layout", "function", "prove", "savings")
"""Options of one operation of one cipher."""


def measure(name: str, asked: Asked) -> Measured:
    """Make machine code of the ciphers' operations, check it, count its cycles."""
    refuse_options(name, asked.timing.given(), COUNTED)
    asked.refuse_small(name)
    one, model = asked.of_slots, model_of(name, asked)
    if one["function"]:
        return _part(model, asked)
    wanted = requests(model, asked)
    if asked.select == SEARCH:
        for request in wanted:
            search_choice(
                request.cipher, request.operation, model, variant=request.variant, key_bits=request.key_bits,
                loop=request.form == "loop", small=one["small"],
            )  # fmt: skip
    if len(wanted) == 1:
        return _one(wanted[0], asked)
    several = {option: one[option] for option in OF_ONE}
    refuse_options("several operations", several, "name one cipher and one --operation")
    rows = _several(wanted, asked)
    return Measured(rows, lambda: table.show(rows))


def model_of(name: str, asked: Asked) -> Processor:
    """Return the processor with the parameters and instructions that the options give it."""
    one = asked.of_slots
    return chosen(
        name, asked.path, one["set"], instructions=one["instruction"],
        width=one["width"], memory_ports=one["memory-ports"], addressing=one["addressing"],
    )  # fmt: skip


def requests(model: Processor, asked: Asked) -> list[Request]:
    """Return the kernels that are asked for: of the first key size where none is named."""
    from cipherassay.native.selection import select
    from cipherassay.processors.report_list import OPERATIONS
    from cipherassay.processors.requests import Request

    one = asked.of_slots
    without = known_names(one["without"], model, asked.path, one["instruction"])
    settings = settings_of(
        one["set"], width=one["width"], memory_ports=one["memory-ports"], addressing=one["addressing"]
    )
    found = []
    for selected in select(asked.ciphers, asked.key_bits, "", asked.variant):
        cipher = selected.cipher
        for operation in asked.operations or (OPERATIONS if cipher.keyed else cipher.directions):
            key = one_key(asked.key, operation)
            for bits in [8 * len(key)] if key else asked.sizes(selected):
                known_operation(cipher, bits, asked.variant, operation)
                request = Request(
                    cipher, operation, model, form_of(bool(asked.loop), one["small"]), asked.variant, bits,
                    without, key=key, settings=tuple(settings.items()), strategy=asked.strategy,
                )  # fmt: skip
                found.append(replace(request, configuration=_configuration(request, one)))
    return found


def _configuration(request: Request, one: Any) -> str:
    """Return what rows call the kernel: its form, and what makes it another than the best of that form."""
    words = [request.form, request.strategy, *(f"without {name}" for name in request.avoid)]
    words += ["one key"] if request.key else []
    words += [f"tables {one['layout']}"] if one["layout"] else []
    words += [f"with {Path(one['instruction']).name}"] if one["instruction"] else []
    plain = len([word for word in words if word]) == 1
    return "" if plain else ", ".join(word for word in words if word)


def _several(wanted: Sequence[Request], asked: Asked) -> list[Row]:
    from cipherassay.processors.rows import job

    found = run_jobs([job(one) for one in wanted], asked).results
    if not any(made.rows for made in found.values()):
        wanted[0].kernel()  # says why
    for one, made in zip(wanted, found.values(), strict=True):
        if not made.rows:
            say(f"left out: {one.title}: no strategy makes {one.form} code of it")
    return [row for made in found.values() for row in made.rows]


def _one(request: Request, asked: Asked) -> Measured:
    """Make one kernel, keep its rows, and tell all that is known of it."""
    from cipherassay.processors import proving
    from cipherassay.processors.rows import job
    from cipherassay.processors.savings import savings as each_saving

    one, cipher = asked.of_slots, request.cipher
    kernel, saving = request.kernel(), None
    if one["layout"]:
        kernel, saving = kernels.laid(kernel, cipher, one["layout"])
    if one["prove"]:
        kernel = proving.prove(kernel, cipher, one["prove"])
    made = job(request, kernel)
    rows = run_jobs([made], asked, "check").results[made.name].rows
    known = kernels.document(kernel, cipher) | ({"layout_saving": saving} if saving else {})
    if one["savings"]:
        known["savings"] = [asdict(saved) for saved in each_saving(kernel, cipher)]
    return Measured(list(rows), lambda: _show(known), [known])


def _show(known: dict[str, Any]) -> None:
    kernels.show(known)
    if "savings" in known:
        kernels.show_savings(known["savings"])


def _part(model: Processor, asked: Asked) -> Measured:
    """Schedule a function or an S-box of a cipher's file alone: nothing that a cipher costs, so no rows."""
    from cipherassay.native.selection import select
    from cipherassay.processors.parts import schedule

    selected = select(asked.ciphers, asked.key_bits, "", asked.variant)
    if len(selected) != 1 or len(asked.operations) > 1:
        raise UsageError("M747", "`--function` is of one cipher and one operation", help="name them")
    inverted = "decrypt" in asked.operations
    found = schedule(selected[0].cipher, asked.of_slots["function"], model, inverted=inverted)
    part = kernels.part_document(found)
    return Measured([], lambda: kernels.show_part(part), [part])
