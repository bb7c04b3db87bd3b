"""Rows of code within a budget of RAM: the simulator runs it, known answers and random inputs pass."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from cipherassay.ciphers import argument
from cipherassay.embedded.measuring import Observation, known_answers, options, wrong
from cipherassay.errors import VerificationError
from cipherassay.published import platform
from cipherassay.vectors.records import Block

if TYPE_CHECKING:
    from cipherassay.embedded.budget.choose import BudgetResult
    from cipherassay.embedded.processor import Machine
    from cipherassay.results import Row

_INPUTS, _SEED = 8, 1


def measure(made: BudgetResult) -> list[Row]:
    """Run a cipher in the processor's simulator: results checked, RAM within the budget, then its rows.

    Raises
    ------
    ToolError
        T002: a tool is missing. E121 to E123: a tool refuses something.
    VerificationError
        E130: a result is wrong. E151: more RAM is used than the budget.
    """
    with tempfile.TemporaryDirectory() as folder, _machine(made, folder) as machine:
        seen = {name: Observation() for name in made.functions}
        answers = known_answers(made)
        for answer in answers:
            _run(made, machine, seen, answer)
        numbers = random.Random(_SEED)
        for _ in range(_INPUTS):
            key, block = numbers.randbytes(made.key_bits // 8), numbers.randbytes(made.cipher.input_bits // 8)
            keys = made.program.evaluate("key_schedule", [key])
            result = bytes(made.program.evaluate("encrypt", [*keys, block])[0])
            _run(made, machine, seen, Block(key, block[: len(result)], result, block[len(result) :]))
        tools = f"{made.processor.tools()}; {len(answers)} known answers, {_INPUTS} random inputs"
        return [row for name in seen for row in _rows(made, name, seen[name], machine, tools)]


def _machine(made: BudgetResult, folder: str) -> Machine:
    return made.processor.machine(made.assembly(), Path(folder))


def _run(
    made: BudgetResult,
    machine: Machine,
    seen: dict[str, Observation],
    block: Block,
) -> None:
    """Encrypt and decrypt in painted RAM, after key setup where there is one."""
    p = made.prefix
    for name in ("encrypt", "decrypt"):
        given, wanted = block.sides(name)
        paint = seen[name].paint
        machine.paint(paint)
        machine.write(f"{p}_key", block.key)
        for function in (f for f in made.functions if f in ("key_schedule", name)):
            if function == name:
                machine.write(f"{p}_block", given)
            seen[function].calls.append(machine.call(f"{p}_{function}"))
        used = machine.touched(paint)
        seen[name].ram = max(seen[name].ram, used)
        found = machine.read(f"{p}_block", len(wanted))
        if found != wanted:
            raise wrong(made.cipher.name, name, made.processor, block.key, found, wanted)
        if used > made.budget:
            raise VerificationError(
                "E151",
                f"{made.cipher.name}: `{name}` for {made.processor.title} uses {used} bytes of RAM in "
                f"{made.processor.simulator}, more than {made.budget}",
                help="this is a bug: please report it",
            )


def _rows(made: BudgetResult, name: str, seen: Observation, machine: Machine, tools: str) -> Iterator[Row]:
    from cipherassay.results import Row

    one = made.chosen.get(name, made.chosen["encrypt"]).candidate
    way = f"RAM budget {made.budget} bytes, {one.name}"
    own = [f for f in one.text.names if one.runs and _belongs(made, f, name, one.window)]
    tables = sum(len(data) for data in one.text.tables.values())
    values: list[tuple[str, float, str]] = [
        *seen.cycles(way, made.processor.inside),
        ("code_bytes", sum(machine.size(f) for f in own) + tables, f"{way}, with its tables"),
    ]
    if name != "key_schedule":
        values.append(("ram_bytes", seen.ram, f"{way}, with key, block and stack"))
        values.append(("calls", one.runs, f"{way}, key schedule"))
    for metric, value, configuration in values:
        yield Row(
            cipher=made.cipher.name, variant=made.variant or None,
            operation={"key_schedule": "key_setup_both"}.get(name, name), key_bits=made.key_bits,
            level="embedded", target=made.processor.target, platform=platform(made.processor.name),
            configuration=configuration, key_mode="one size", metric=metric,
            value=value, basis="simulated", tools=tools,
            command=f"assay measure {argument(made.cipher)} --processor {made.processor.name} "
            f"--key-bits {made.key_bits}{options(made.variant)} --ram {made.budget}",
        )  # fmt: skip


def _belongs(made: BudgetResult, function: str, name: str, window: int) -> bool:
    """Return whether an operation needs a function: itself, its inner ones, what fills its window."""
    own = f"{made.prefix}_{name}"
    inner = function.removeprefix(f"{own}_")
    return function == own or inner.isdigit() or (bool(window) and function == f"{made.prefix}_fill")
