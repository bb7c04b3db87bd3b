"""The kept choices of kernels: which strategy, circuits and instructions a long search found best.

A kernel is made anew from its choice each time, with its bound and all checks; what is kept saves the search
only.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Any

from cipherassay import _engine, keeping
from cipherassay._engine import Processor
from cipherassay.errors import DescriptionError, UsageError
from cipherassay.lang.cipher import Cipher
from cipherassay.processors import kernel
from cipherassay.processors.kernel import Choice, Kernel
from cipherassay.processors.layouts import best_layout

KIND = "kernels"
"""The kind of kept artefacts; a file per processor."""


def name_of(cipher: str, operation: str, key_bits: int, variant: str, form: str) -> str:
    """Return the name of a kernel in its processor's file: ``rc6 encrypt 128 unrolled``."""
    return " ".join(part for part in (cipher, variant, operation, str(key_bits), form) if part)


def processors() -> list[str]:
    """Return the processors that choices are kept for."""
    return [path.stem for path in keeping.files(KIND, "*.json")]


def choices(processor: str) -> Mapping[str, Choice]:
    """Return the kept choices of a processor by the kernels' names; empty if there are none.

    Raises
    ------
    DescriptionError
        A001: the file is damaged.
    """
    known: dict[str, Choice] = {}
    for path in reversed(keeping.candidates(KIND, f"{processor}.json")):
        known |= read(path)
    return known


def read(path: Path) -> dict[str, Choice]:
    """Return the choices of one file as `choices` does; none if it follows another schema."""
    document = keeping.read(KIND, path)
    try:
        found: dict[str, dict[str, Any]] = document["choices"] if document else {}
        return {name: Choice(**{**one, "avoid": tuple(one["avoid"])}) for name, one in found.items()}
    except (AttributeError, TypeError, KeyError) as error:
        raise keeping.damaged(KIND, path, error) from None


def keep(found: Kernel, form: str) -> Path:
    """Keep the choice of a kernel; return the file."""
    name = name_of(found.cipher, found.operation, found.key_bits, found.variant, form)

    def with_it(path: Path | None) -> str:
        return text_of({**(read(path) if path else {}), name: found.choice})

    return keeping.update(KIND, f"{found.processor.name}.json", with_it)


def text_of(known: Mapping[str, Choice]) -> str:
    """Return the text of a file of choices, a line for each."""
    lines = [f" {json.dumps(name)}: {json.dumps(_fields(known[name]))}" for name in sorted(known)]
    head = f'{{"schema": {keeping.SCHEMAS[KIND]}, "choices": {{'
    return head + "\n" + ",\n".join(lines) + "\n}}\n"


def _fields(choice: Choice) -> dict[str, Any]:
    """Return a choice as it is written: without what few kernels have."""
    few = ("spill", "key", "window", "free", "carried", "bytes")
    return {name: value for name, value in asdict(choice).items() if value or name not in few}


def kept(
    cipher: Cipher, operation: str, processor: str, key_bits: int, variant: str, form: str
) -> Choice | None:
    """Return the kept choice of a kernel, or None.

    One key setup for both directions is one kernel under two names. Where nothing was searched for a key
    size, the choice for the shortest keys stands.
    """
    known = choices(processor)
    for bits in dict.fromkeys((key_bits, min(cipher.key_bits))):
        for name in _names(cipher, operation):
            found = known.get(name_of(cipher.slug, name, bits, variant, form))
            if found is not None:
                return found
    return None


def _made(
    cipher: Cipher, operation: str, processor: Processor, choice: Choice, key_bits: int, variant: str
) -> list[Kernel]:
    try:
        return [kernel.make(cipher, operation, processor, choice, key_bits=key_bits, variant=variant)]
    except (DescriptionError, UsageError):  # it was of another state of strategies and instructions
        return []


def _names(cipher: Cipher, operation: str) -> tuple[str, ...]:
    same = ("key_setup_both", "key_setup_encrypt")
    return (operation, *same) if operation in same and "combined" not in cipher.forms else (operation,)


def search(
    cipher: Cipher,
    operation: str,
    processor: Processor,
    *,
    form: str = "unrolled",
    variant: str = "",
    key_bits: int = 128,
) -> Iterator[tuple[str, Kernel]]:
    """Search a kernel, keep its choice; yield what was found after each step, with the step's name.

    A choice that was kept before stays where nothing better is found.
    """
    known = kept(cipher, operation, processor.name, key_bits, variant, form)
    found = kernel.best(
        cipher, operation, processor, key_bits=key_bits, variant=variant, form=form, anew=True
    )
    if known is not None:
        before = _made(cipher, operation, processor, known, key_bits, variant)
        found = min([found, *before], key=kernel.merit(form))
    keep(found, form)
    yield "strategies", found
    if form == kernel.SMALL:  # instructions are searched for cycles
        return
    better = _searched(found, cipher)
    if better is not found:
        keep(better, form)
    yield "instructions", better
    laid = best_layout(better, cipher)
    if laid is not better:
        keep(laid, form)
    yield "layouts", laid


def _searched(made: Kernel, cipher: Cipher, restarts: int = 3) -> Kernel:
    """Return the kernel with the alternatives of selection searched, or the same if nothing is shorter."""
    found = [made]
    choice = made.choice
    more = () if made.processor.issues_out_of_order else kernel.WIDE[-1:]
    for wide in dict.fromkeys((choice.wide, *more)):
        avoid, spread, depth, even = _engine.Kernel.search(
            made.program, made.function, made.processor, choice.pointers, wide, restarts, choice.layout
        )
        other = replace(choice, avoid=tuple(avoid), spread=spread, depth=depth, even=even, wide=wide)
        same = partial(kernel.make, cipher, made.operation, made.processor, key_bits=made.key_bits)
        found.append(same(other, variant=made.variant))
    return min(found, key=lambda one: (one.cycles, one.operations))
