"""Ciphers for small processors: programs, and rows that were measured after known answers passed."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from cipherassay.ciphers import argument
from cipherassay.embedded import processors
from cipherassay.embedded.build import (
    GAIN,
    PAIRED,
    SEPARATE,
    SEVERAL,
    STRATEGIES,
    AssembledCipher,
    Assembly,
    assembly,
    is_faster,
    split_in_pairs,
    split_in_several,
    split_into_bytes,
    with_round_keys_as_kept,
)
from cipherassay.embedded.measuring import Observation, known_answers, of_keys, options, wrong
from cipherassay.errors import AssayError, DescriptionError, VerificationError
from cipherassay.lang.shapes import BLOCK_CIPHER
from cipherassay.published import platform
from cipherassay.vectors.records import Block

if TYPE_CHECKING:
    from cipherassay._engine import Program
    from cipherassay.ciphers import Cipher
    from cipherassay.embedded.processor import Machine, Processor
    from cipherassay.results import Row

_INPUTS, _SEED = 16, 1


def make(
    cipher: Cipher,
    key_bits: int,
    variant: str = "",
    *,
    unrolled: bool = False,
    processor: str = "avr",
    tables: str = "",
) -> AssembledCipher:
    """Return the assembly of a cipher for one key size, with loops or straight, for one of `processors`.

    ``tables`` says in which memory its tables lie, if not where they usually do.

    Raises
    ------
    DescriptionError
        E101 to E119: something of the program is not made for the processor yet.
    UsageError
        E153: the processor cannot have its tables there.
    """
    chosen = processors.load(processor)
    chosen = chosen.with_tables(tables) if tables else chosen
    form = next((f for f in chosen.forms if f in cipher.forms), "")
    program = cipher.compile(key_bits, variant, form)
    prefix = cipher.slug.replace("-", "_")
    objects = ("key", "keys", "block") if cipher.keyed else ("block",)
    head = [
        f"{cipher.name}{of_keys(key_bits)}{f', {variant}' if variant else ''}: "
        f"{chosen.title}, {_form(unrolled)}{chosen.placed}.",
        f"Source: {cipher.source}.",
        f"RAM: {', '.join(f'{prefix}_{one}' for one in objects)}; the functions take no arguments.",
        f"Words lie in RAM with the least significant byte first. {chosen.conventions[0]}",
        *chosen.conventions[1:],
    ]
    text, strategy = _fastest(program, prefix, head, chosen, unrolled=unrolled)
    kept = with_round_keys_as_kept(program, strategy)
    return AssembledCipher(cipher, key_bits, variant, unrolled, kept, strategy, text, chosen)


def _fastest(
    program: Program, prefix: str, head: list[str], processor: Processor, *, unrolled: bool
) -> tuple[Assembly, str]:
    """Return the faster of the code without and with words of four bits in pairs, and its strategy.

    What cannot be made in one way is made in the other. Rounds in loops share an iteration where that is
    faster by a good part.
    """
    split = split_into_bytes(program, unrolled=unrolled)
    made, refused = _made(split, prefix, head, processor)
    strategy = STRATEGIES[unrolled]
    paired = split_in_pairs(program, unrolled=unrolled)
    if paired is not None:
        other, _ = _made(paired, prefix, head, processor)
        if other is not None and (made is None or is_faster(other, made)):
            split, made, strategy = paired, other, PAIRED[unrolled]
    if made is None:
        assert refused is not None, "it was made or refused"
        raise refused
    longer = split_in_several(split, strategy)
    if longer is not None:
        other, _ = _made(longer, prefix, head, processor)
        if other is not None and is_faster(other, made, GAIN):
            return other, SEVERAL[strategy]
    return made, strategy


def _made(
    split: Program, prefix: str, head: list[str], processor: Processor
) -> tuple[Assembly | None, AssayError | None]:
    """Return the code of a program of bytes, or why there is none."""
    try:
        return assembly(split, prefix, head, processor), None
    except (DescriptionError, VerificationError) as error:
        return None, error


def _form(unrolled: bool) -> str:
    return "rounds unrolled" if unrolled else "rounds in loops"


def measure(made: AssembledCipher) -> list[Row]:
    """Run a cipher in the processor's simulator: known answers and random inputs checked, then its rows.

    Raises
    ------
    ToolError
        T002: a tool is missing. E121 to E123: a tool refuses something.
    VerificationError
        E130: a result is wrong.
    """
    with tempfile.TemporaryDirectory() as folder, _machine(made, folder) as machine:
        seen = {name: Observation() for name in made.assembly.functions}
        answers = known_answers(made)
        for answer in answers:
            _run(made, machine, seen, answer)
        numbers = random.Random(_SEED)
        for _ in range(_INPUTS):
            key = numbers.randbytes(made.key_bits // 8)
            given = numbers.randbytes(made.cipher.input_bits // 8)
            size = len(given) - made.cipher.tweak_bytes
            _run(made, machine, seen, Block(key, given[:size], b"", given[size:]))
        tools = f"{made.processor.tools()}; {len(answers)} known answers, {_INPUTS} random inputs"
        return [row for name in seen for row in _rows(made, name, seen[name], machine, tools)]


def _machine(made: AssembledCipher, folder: str) -> Machine:
    return made.processor.machine(made.assembly.text, Path(folder), straight=made.unrolled)


def _run(
    made: AssembledCipher,
    machine: Machine,
    seen: dict[str, Observation],
    block: Block,
) -> None:
    """Call all functions on a key and a block, what makes keys first; no ciphertext: the evaluator's.

    The RAM is painted before each with a byte that the run tells apart.
    """
    p = made.prefix
    steps = list(_steps(made, block))
    for name, given, where, wanted in steps:
        paint = seen[name].paint
        machine.paint(paint)
        for o, data in given.items():
            machine.write(f"{p}_{o}", data)
        seen[name].calls.append(machine.call(f"{p}_{name}"))
        seen[name].ram = max(seen[name].ram, machine.touched(paint))
        found = machine.read(f"{p}_{where}", len(wanted))
        if found != wanted:
            raise wrong(made.cipher.name, name, made.processor, block.key, found, wanted)


def _steps(made: AssembledCipher, block: Block) -> Iterator[tuple[str, dict[str, bytes], str, bytes]]:
    """Yield functions, what is written into which objects before, where the result is, what it must be."""
    forward, *backward = made.cipher.directions
    keys: list[int | list[int]] = []
    given: dict[str, bytes] = {}
    if made.cipher.keyed:
        keys = made.program.evaluate("key_schedule", [block.key])
        given = {"keys": _as_bytes(made, "key_schedule", keys)}
        yield "key_schedule", {"key": block.key}, "keys", given["keys"]
    if not block.ciphertext:
        made_of = made.program.evaluate(forward, [*keys, block.sides(forward)[0]])
        block = block._replace(ciphertext=bytes(made_of[0]))
    taken, wanted = block.sides(forward)
    yield forward, {**given, "block": taken}, "block", wanted
    if made.separate:
        given = {"keys_decrypt": _as_bytes(made, SEPARATE, made.program.evaluate(SEPARATE, [block.key]))}
        yield SEPARATE, {"key": block.key}, "keys_decrypt", given["keys_decrypt"]
    for direction in backward:
        taken, wanted = block.sides(direction)
        yield direction, {**given, "block": taken}, "block", wanted


def _as_bytes(made: AssembledCipher, function: str, keys: list[int | list[int]]) -> bytes:
    """Return the round keys as they lie in RAM."""
    widths = [(ty.bits + 7) // 8 for ty in made.program.mirror().functions[function].results]
    return b"".join(
        word.to_bytes(n, "little")
        for n, words in zip(widths, keys, strict=True)
        for word in (words if isinstance(words, list) else [words])
    )


def _rows(made: AssembledCipher, name: str, seen: Observation, machine: Machine, tools: str) -> Iterator[Row]:
    from cipherassay.results import Row

    # The key setup of a function is that of its one operation.
    of_both = not made.separate and made.cipher.shape == BLOCK_CIPHER
    setups = {
        "key_schedule": f"key_setup_{'both' if of_both else made.cipher.directions[0]}",
        SEPARATE: "key_setup_decrypt",
    }
    operation = setups.get(name, name)
    form = _form(made.unrolled) + made.processor.placed
    code = machine.size(f"{made.prefix}_{name}") + made.assembly.tables[name]
    of_key = "key or keys, " if made.cipher.keyed else ""
    values = [
        *seen.cycles(form, made.processor.inside),
        ("code_bytes", code, f"{form}, with its tables"),
        ("ram_bytes", seen.ram, f"{form}, with {of_key}block and stack"),
    ]
    for metric, value, configuration in values:
        yield Row(
            cipher=made.cipher.name, variant=made.variant or None, operation=operation,
            key_bits=made.key_bits or None, strategy=made.strategy,
            level="embedded", target=made.processor.target, platform=platform(made.processor.name),
            configuration=configuration, architecture="unrolled" if made.unrolled else "loop",
            key_mode="one size" if made.key_bits else None, metric=metric,
            value=value, basis="simulated", tools=tools,
            command=f"assay measure {argument(made.cipher)} --processor {made.processor.name}"
            f"{made.cipher.key_option(made.key_bits)}{options(made.variant, unrolled=made.unrolled)}"
            f"{made.processor.given}",
        )  # fmt: skip
