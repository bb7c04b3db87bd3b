"""Kept orders and choices of the Pentiums' kernels, compared with the steps that are selected now."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from itertools import product
from pathlib import Path

from cipherassay import ciphers, keeping, strategies
from cipherassay._engine import X86Steps
from cipherassay.errors import AssayError
from cipherassay.keeping.verification import (
    OTHER_SCHEMA,
    Unit,
    Verdict,
    guarded,
    is_of_package,
    not_checked,
    of_error,
    plain,
    said,
)
from cipherassay.processors.report_list import ONE_KEY
from cipherassay.x86 import kept, model
from cipherassay.x86.kept import KIND
from cipherassay.x86.kernel import PreparedKernel, applicable, candidates

_TITLE = re.compile(r"(\S+) (\S+), (\d+) bits(?:, ([^,]+))?, on (\S+) of (.+)")
_Choice = tuple[Path, str, dict[str, str]]
"""File, title of the kernel, what is kept of it."""


def x86() -> list[Unit]:
    """Return the work of verifying, operation by operation of each cipher, its choices and its orders."""
    choices: dict[str, list[_Choice]] = {}
    orders: dict[str, list[Path]] = {}
    bad: list[Unit] = []
    for path in keeping.every(KIND, kept.CHOICES):
        try:
            known = kept.read_choices(path)
        except AssayError as error:
            bad.append(Unit(path.name, partial(list, [of_error(KIND, path, error)])))
            continue
        for title, one in known.items():
            choices.setdefault(title.partition(",")[0], []).append((path, title, one))
        if not known:
            bad.append(Unit(path.name, partial(list, [plain(KIND, path, OTHER_SCHEMA)])))
    for path in keeping.every(KIND, "*.json"):
        if path.name != kept.CHOICES:
            orders.setdefault(" ".join(path.name.split("-")[:2]), []).append(path)
    every = sorted({*choices, *orders})
    return bad + [Unit(of, partial(_verdicts, of, choices.get(of, []), orders.get(of, []))) for of in every]


def _verdicts(of: str, choices: list[_Choice], orders: list[Path]) -> Iterator[Verdict]:
    cipher, _, operation = of.partition(" ")
    steps: dict[str, X86Steps] = {}
    for choice in choices:
        yield _of_choice(choice, steps)
    if is_of_package(cipher) and any(path.name not in steps for path in orders):
        steps |= _all_steps(cipher, operation)
    for path in orders:
        yield from guarded(KIND, path, partial(_of_order, steps=steps))


def _of_choice(choice: _Choice, steps: dict[str, X86Steps]) -> Verdict:
    """Return the verdict on a choice; its candidates' steps are added to those known."""
    path, title, known = choice
    name = f"{keeping.name_of(path)}: {title}"
    of = _TITLE.fullmatch(title)
    if of is None or not is_of_package(of[1]):
        return not_checked(KIND, path, name)
    try:
        found = _candidates(of)
    except AssayError as error:
        why = said(error)
    else:
        for one in found:
            steps.update(_files(one))
        holds = kept.holds(known, [one.digest for one in found])
        why = "" if holds else "its candidates are others by now"
    return Verdict(KIND, name, "stale" if why else "holds", path, why, partial(_take_out, path, title))


def _take_out(path: Path, title: str) -> None:
    def without(file: Path | None) -> str:
        known = kept.read_choices(file) if file else {}
        return kept.choices_text({name: one for name, one in known.items() if name != title})

    keeping.update(KIND, path.name, without)


def _candidates(of: re.Match[str]) -> list[PreparedKernel]:
    cipher, operation, bits, variant, processor, listed = of.groups()
    names = listed.split(", ")
    key = ONE_KEY.hex() if any(strategies.load(name).for_each_key for name in names) else ""
    return candidates(
        ciphers.load(cipher), operation, model.load(processor), names,
        key_bits=int(bits), variant=variant or "", key=key,
    )  # fmt: skip


def _files(one: PreparedKernel) -> Iterator[tuple[str, X86Steps]]:
    """Yield the names of the files that keep orders of a candidate's parts, with the parts' steps."""
    kernel = one.kernel
    for number, part in enumerate(one.function.parts(), 1):
        suffix = "" if one.function.straight else f"-{number}"
        name = f"{kernel.prefix}-{kernel.operation}{suffix}"
        yield kept.file_of(name, part, kernel.model), kept.steps_of(part, kernel.model)


def _all_steps(name: str, operation: str) -> dict[str, X86Steps]:
    """Return what `_files` gives of an operation for all key sizes, variants and strategies."""
    cipher, found = ciphers.load(name), dict[str, X86Steps]()
    variants = ("", *cipher.variants)
    for bits, variant, strategy in product(cipher.key_bits, variants, applicable(cipher)):
        for processor in map(model.load, model.names()):
            with suppress(AssayError):
                given = (cipher, operation, processor, [strategy])
                for one in candidates(*given, key_bits=bits, variant=variant):
                    found.update(_files(one))
    return found


def _of_order(path: Path, steps: dict[str, X86Steps]) -> Iterator[Verdict]:
    if not is_of_package(path.name.partition("-")[0]):
        yield not_checked(KIND, path)
    elif keeping.read(KIND, path) is None:
        yield plain(KIND, path, OTHER_SCHEMA)
    elif path.name not in steps:
        yield plain(KIND, path, "no kernel has its steps by now")
    else:
        order = kept.read_order(path, steps[path.name])
        yield plain(KIND, path, why_false="" if order else "it is no order of its steps")
