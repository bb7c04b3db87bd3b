"""Programs with words of any width on any processor: made, run in the simulator and in the emulator of its file.

What they must compute is what the evaluator says of the program before its words were fitted to registers.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from cipherassay import processors, strategies
from cipherassay._engine import Processor, Program
from cipherassay.errors import DescriptionError
from cipherassay.ir import Type
from cipherassay.processors import making, programs, simulating
from cipherassay.processors.harness import Argument, Interface, interface
from cipherassay.processors.kernel import Choice
from cipherassay.processors.oracles import Qemu
from cipherassay.processors.oracles.gas import described

STRAIGHT = ("inline-calls", "lower-linear", "circuits", "unroll")
LOOPED = (
    "inline-calls", "lower-linear", "circuits", "split-loops", "unroll:factor=period",
    "unroll:factor=ring,extent=8", "unroll:only=inner,most=200", "unroll:only=outer",
)  # fmt: skip
CLEAN = ("fold", "scalars", "dead-stores", "fold", "cse", "dce")
RESTARTS = 2
AHEAD = 8
"""Operations that schedules look ahead where values leave their registers."""


def operations(width: int) -> str:
    """Return the text of a program of every operation of the language on words of a width: straight and in a loop."""
    half = width // 2
    numbers = sorted({1, 7 % width, half, width - 1})
    lines = [
        *(f"{name} %a, %b" for name in ("add", "sub", "mul", "and", "or", "xor")),
        "not %a",
        f"add %a, {(1 << width) - 3:#x}",
        f"xor %b, {0x5A << width - 8:#x}",
        *(f"{name} %a, {n}" for name in ("shl", "shr", "rotl", "rotr") for n in numbers),
        *(f"{name} %a, %{n}" for name in ("shl", "shr", "rotl", "rotr") for n in ("n", "k")),
        *(f"select %{c}, %a, %b" for c in ("same", "other", "less")),
        "concat %high, %low",
        "zext %low",
        "lookup @T[%index]",
    ]
    body = [f"  %r{k}: u{width} = {line}" for k, line in enumerate(lines)]
    table = ", ".join(hex(x) for x in _random_words(width, 16, 7))
    return f"""\
program "every operation on {width} bits" {{
}}

table @T: u{width}[16] = [{table}]

func @straight(%x: u{width}[3], %k: u8) -> (u{width}[{len(lines)}]) {{
  %a: u{width} = load %x[0]
  %b: u{width} = load %x[1]
  %n: u{width} = load %x[2]
  %same: u1 = eq %a, %b
  %other: u1 = ne %a, %n
  %less: u1 = ltu %a, %b
  %low: u{half} = extract %a, 0
  %high: u{half} = extract %a, {half}
  %index: u4 = extract %a, 3
{chr(10).join(body)}
  %out: u{width}[{len(lines)}] = array {", ".join(f"%r{k}" for k in range(len(lines)))}
  return %out
}}

func @looped(%x: u{width}[3], %k: u8) -> (u{width}[2]) {{
  %a: u{width} = load %x[0]
  %b: u{width} = load %x[1]
  %A: u{width}, %B: u{width} = rounds 6 "i" from 0 step 1 (%a, %b) {{
    body 0..5 (%i: index, %a.1: u{width}, %b.1: u{width}) {{
      %s: u{width} = add %a.1, %b.1
      %t: u{width} = mul %s, %b.1
      %u: u{width} = rotl %s, %k
      %v: u{width} = rotr %b.1, 5
      %c: u1 = ltu %t, %u
      %w: u{width} = select %c, %v, %t
      %index: u4 = extract %w, 1
      %l: u{width} = lookup @T[%index]
      %m: u{width} = xor %l, %u
      %d: u{width} = shr %w, %k
      %e: u{width} = sub %m, %d
      yield %e, %w
    }}
  }}
  %out: u{width}[2] = array %A, %B
  return %out
}}
"""


def _random_words(width: int, count: int, seed: int) -> list[int]:
    source = random.Random(seed)
    return [source.getrandbits(width) for _ in range(count)]


def fitted(program: Program, passes: Sequence[str], word_bits: int) -> Program:
    """Return a program as kernels are made from it, its words fitted to registers of so many bits."""
    return programs.fitting_words(program.passes([*passes, *CLEAN], strategies.circuits()), word_bits)


def parts(value: Argument, ty: Type, word_bits: int) -> Iterator[list[int]]:
    """Yield what a value of a type is when its words are fitted: each word or array by itself."""
    words = [value] if isinstance(value, int) else list(value)
    if ty.bits <= word_bits:
        yield words
        return
    mask = (1 << word_bits) - 1
    split = [[x >> at & mask for at in range(0, ty.bits, word_bits)] for x in words]
    yield from ([sum(split, [])] if ty.is_array else [[part] for part in split[0]])


@dataclass(frozen=True)
class MachineFunction:
    """A function on a processor."""

    processor: Processor
    text: str
    interface: Interface
    cycles: int


def made(program: Program, function: str, processor: Processor) -> MachineFunction:
    """Return the code of a function of a fitted program; values leave their registers where these do not suffice.

    Raises
    ------
    DescriptionError
        ``M2xx``: what no instruction computes; ``M4xx``: registers do not suffice.
    """
    code = making.selected(program, function, processor, Choice("straight"))
    found = code.schedule(RESTARTS, 1, 0)
    schedules = json.dumps([part["schedule"] for part in json.loads(found)])
    try:
        text = json.loads(code.emit(schedules))
    except DescriptionError as error:
        if error.code != "M401":
            raise
        code, found, _ = code.fitted(RESTARTS, 1, 100, 0, [AHEAD], True)
        schedules = json.dumps([part["schedule"] for part in json.loads(found)])
        text = json.loads(code.emit(schedules))
    return MachineFunction(processor, text["text"], interface(code.interface()), text["cycles"])


def agrees(
    before: Program, after: Program, function: str, processor: Processor, calls: Sequence[Sequence[Argument]]
) -> None:
    """Compare what a function computes on a processor with what the program before fitting computes."""
    one = made(after, function, processor)
    mirrored = before.mirror().functions[function]
    bits = processor.word_bits
    expected, given = [], []
    for call in calls:
        arguments = [list(x) if isinstance(x, bytes) else x for x in call]
        results = before.evaluate(function, arguments)
        expected.append(
            [p for v, ty in zip(results, mirrored.results, strict=True) for p in parts(v, ty, bits)]
        )
        split = [
            p for v, (_, ty) in zip(arguments, mirrored.params, strict=True) for p in _given(v, ty, bits)
        ]
        given.append(split)
    machine = simulating.load(one.text, processor, cache=False)
    for arguments, wanted in zip(given, expected, strict=True):
        found, run = simulating.call(machine, one.interface, arguments, mode="cycles")
        assert [list(result) for result in found] == wanted, f"{function} on {processor.name}\n{after.text()}"
        if not processor.issues_out_of_order:
            assert run.cycles <= one.cycles
    oracle = _oracle(processor)
    if oracle is not None and oracle.available() is None:
        assert oracle.run(one.text, one.interface, given) == expected


def _given(value: Argument, ty: Type, word_bits: int) -> Iterator[Argument]:
    for part in parts(value, ty, word_bits):
        yield part if ty.is_array else part[0]


def _oracle(processor: Processor) -> Qemu | None:
    isa = processors.document(processor)["isa"]
    return Qemu.of(isa["name"]) if "emulator" in described(isa["name"]) else None


def calls(width: int, count: int, seed: int) -> list[list[Argument]]:
    """Return arguments for :func:`operations`: words at their limits and random ones, amounts small and large."""
    source = random.Random(seed)
    top = (1 << width) - 1
    edges = (0, 1, top, 1 << width - 1, width & top, width // 2)

    def word() -> int:
        return source.choice(edges) if source.random() < 0.4 else source.getrandbits(width)

    def amount(most: int) -> int:
        return min(source.choice((0, 1, width - 1, width, source.randrange(2 * width), most)), most)

    return [[[word(), word(), amount(top)], amount(255)] for _ in range(count)]
