"""The mirror of a program against the engine's text form: another writer, in another language, gives it anew."""

from __future__ import annotations

import contextlib
import dataclasses
from pathlib import Path

import pytest

from cipherassay import ir, strategies
from cipherassay._engine import Program, generate
from cipherassay.ciphers import Cipher, load, of_papers
from cipherassay.embedded.build import split_into_bytes
from cipherassay.errors import DescriptionError, UsageError
from support import generated, toy
from support.places import DATA

OWN = sorted(DATA.joinpath("ciphers").glob("*.py"))
STRATEGIES = ("as-compiled", "looped", "straight", "folded", "merged-tables-32", "bit-sliced", "periods")
TEXT = """program "a \\"b\\"" {
  meta "key_bits" = "64"
  file 0 "a.py"
}

table @T: u16[2] = [0xabcd, 9]
matrix @M: gf(0x11b) = [[0x2, 0x3], [0x1, 0x1]]
box @B: 3 -> 2 = [0, 1, 2, 3, 3, 2, 1, 0]

func @f(%K: u32[8][2], %x: u8, %b: u1) -> (u8, u32[8][2]) {
  %a: u16 = lookup @T[%b]                                       @3:7<0:9:1
  %p: u8, %q: u8 = linear @M %x, 0x1b
  %K.1: u32[8][2], %y: u8 = rounds 5 "i" from 1 step 2 (%K, %x) {
    body 0..4 by 2 (%t: index, %K.2: u32[8][2], %z: u8) {
      %m: index = index_mod 3*%t - 1, 2
      %v: u32 = load %K.2[ring %t + 2][%m]
      %w: u8 = extract %v, 8
      yield %K.2, %w
    }
    body 1, 3 (%t.1: index, %K.3: u32[8][2], %z.1: u8) {
      %K.4: u32[8][2] = store %K.3[%t.1], 0, 0xff
      %s: u8 = rotl %z.1, 3
      yield %K.4, %s
    }
  }
  return %y, %K.1
}
"""


def agrees(program: Program) -> ir.Program:
    mirror = program.mirror()
    assert ir.written(mirror) == program.text()
    for described in program.functions():
        function = mirror.functions[described["name"]]
        assert [(name, str(ty)) for name, ty in function.params] == described["params"]
        assert [str(ty) for ty in function.results] == described["results"]
    return mirror


@pytest.mark.parametrize("name", [*of_papers(), *map(str, OWN)], ids=lambda name: Path(name).stem)
def test_mirrors_of_ciphers(name: str) -> None:
    cipher: Cipher = load(name)
    for key_bits in cipher.key_bits:
        agrees(cipher.compile(key_bits))
    for strategy in STRATEGIES:
        with contextlib.suppress(UsageError):  # it does not apply
            agrees(strategies.program(cipher, cipher.key_bits[0], strategy))


@pytest.mark.parametrize("unrolled", [False, True])
def test_mirrors_of_programs_of_bytes(unrolled: bool) -> None:
    agrees(split_into_bytes(load("rijndael").compile(128), unrolled=unrolled))


def test_mirrors_of_generated_programs() -> None:
    for seed in range(200):
        agrees(Program.parse(generate(seed, 40)))


@pytest.mark.parametrize("seed", range(10))
def test_mirrors_of_generated_descriptions(seed: int) -> None:
    agrees(toy.make(generated.Description(seed).text()).compile(128))


def test_what_a_mirror_says() -> None:
    mirror = agrees(Program.parse(TEXT))
    assert (mirror.name, mirror.facts, mirror.files) == ('a "b"', (("key_bits", "64"),), ("a.py",))
    assert mirror.tables["T"] == ir.Table("T", 16, (0xABCD, 9))
    assert mirror.matrices["M"] == ir.Matrix("M", 0x11B, ((2, 3), (1, 1)))
    assert mirror.boxes["B"] == ir.Box("B", 3, 2, (0, 1, 2, 3, 3, 2, 1, 0))
    function = mirror.functions["f"]
    array = ir.Type(32, (8, 2))
    assert function.params == (ir.Value("K", array), ir.Value("x", ir.Type(8)), ir.Value("b", ir.Type(1)))
    assert (array.is_array, array.is_word, array.word_bits, array.cells, array.row) == (True, False, 0, 16, 2)
    look_up, product, loop = function.ops
    assert look_up.addresses == (ir.Affine(((1, "b"),), 0),)
    assert look_up.places == (ir.Place(0, 3, 7), ir.Place(0, 9, 1))
    assert (product.name, product.operands, len(product.results)) == ("M", ("x", 0x1B), 2)
    assert loop.loop is not None
    assert (loop.loop.counter, loop.loop.start, loop.loop.step, loop.loop.iteration_count) == ("i", 1, 2, 5)
    assert (loop.loop.pattern, loop.loop.iterations(1)) == ((0, 1, 0, 1, 0), [1, 3])
    first = loop.loop.body_at(2)
    assert first is loop.loop.bodies[0]
    assert first.ops[0].addresses == (ir.Affine(((3, "t"),), -1),)
    assert (first.ops[0].number, first.ops[0].results[0].type) == (2, ir.INDEX)
    assert first.ops[1].addresses[0] == ir.Affine(((1, "t"),), 2, ring=True)
    assert list(first.ops[1].reads()) == ["t", "m"]
    assert [op.kind for op in ir.walk(function.ops)] == [
        "lookup", "linear", "rounds", "index_mod", "load", "extract", "store", "rotl",
    ]  # fmt: skip
    assert function.types()["m"] == ir.INDEX
    assert (mirror.has("store"), mirror.has("mul")) == (True, False)


def test_a_mirror_is_made_once_and_never_changes() -> None:
    program = Program.parse(TEXT)
    mirror = program.mirror()
    assert mirror is program.mirror()
    assert mirror == Program.parse(TEXT).mirror()
    with pytest.raises(dataclasses.FrozenInstanceError):
        mirror.functions["f"].name = "g"  # type: ignore[misc]
    with pytest.raises(TypeError):
        mirror.tables["U"] = mirror.tables["T"]  # type: ignore[index]


def test_the_way_back_is_verified() -> None:
    mirror = Program.parse(TEXT).mirror()
    assert ir.engine_program(mirror).mirror() == mirror
    (function,) = mirror.function_list
    wrong = dataclasses.replace(function, outputs=("unknown", "K.1"))
    with pytest.raises(DescriptionError) as caught:
        ir.engine_program(dataclasses.replace(mirror, function_list=(wrong,)))
    assert caught.value.code.startswith("P")
