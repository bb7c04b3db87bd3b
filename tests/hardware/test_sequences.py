"""Functions cut into clocked steps: run step by step, on places as hardware holds them, they compute what the program computes."""

import itertools
from random import Random
from typing import Any

import pytest

from cipherassay._engine import Program, StepSequence
from cipherassay.ciphers import load, of_papers

CUTS = ((1, False, False, 1), (1, True, True, 1), (4, False, False, 1), (2, True, False, 1), (1, False, False, 3))


def flat(value: int | list[int]) -> list[int]:
    return [value] if isinstance(value, int) else list(value)


@pytest.fixture(scope="module", params=[(name, bits) for name in of_papers() for bits in (128, 192, 256)])
def case(request: pytest.FixtureRequest) -> tuple[Program, dict[str, list[Any]]]:
    name, bits = request.param
    program = load(name).compile(bits).passes(["inline-calls"])
    random = Random(bits)
    key, block = list(random.randbytes(bits // 8)), list(random.randbytes(16))
    keys = [flat(value) for value in program.evaluate("key_schedule", [key])]
    return program, {"key_schedule": [key], "encrypt": [*keys, block], "decrypt": [*keys, block]}


@pytest.mark.parametrize("cuts", CUTS, ids=str)
@pytest.mark.parametrize("function", ["key_schedule", "encrypt", "decrypt"])
def test_steps_compute_what_the_program_does(
    case: tuple[Program, dict[str, list[Any]]], function: str, cuts: tuple[int, bool, bool, int]
) -> None:
    program, arguments = case
    sequence = StepSequence.of(program, function, *cuts)
    expected = [flat(value) for value in program.evaluate(function, arguments[function])]
    assert sequence.run(arguments[function]) == expected


@pytest.mark.parametrize(
    ("name", "rounds"),
    [("mars", 34), ("rc6", 22), ("rijndael", 11), ("serpent", 33), ("twofish", 18), ("e2", 14)],
)
def test_an_iteration_is_a_step(name: str, rounds: int) -> None:
    """Rounds, what stands before and what stands after them; Serpent loads its block in a step without gates."""
    program = load(name).compile(128).passes(["inline-calls"])
    for function in ("encrypt", "decrypt"):
        assert len(StepSequence.of(program, function).steps()) == rounds


def test_bits_of_numbers_are_constants_of_their_iterations() -> None:
    """Twofish: the index that goes through h is another in each iteration, and the iterations are one body."""
    program = load("twofish").compile(128, structures=True).passes(["inline-calls", "inner-structure", "products"])
    steps = StepSequence.of(program, "key_schedule").steps()
    assert len({step["body"] for step in steps if step["iteration"]}) == 1
    assert len({tuple(step["constants"]) for step in steps if step["iteration"]}) == 20


def test_rounds_cut_inside_are_alike_and_even() -> None:
    """RC6: the products of a round in the first half, rotations and sums in the second; both are one body for all rounds."""
    program = load("rc6").compile(128).passes(["inline-calls"])
    steps = StepSequence.of(program, "encrypt", parts=2).steps()
    assert len(steps) == 1 + 2 * 20 + 1
    assert {step["body"] for step in steps[1:-1:2]} == {steps[1]["body"]}
    assert {step["body"] for step in steps[2:-1:2]} == {steps[2]["body"]}
    assert [step["iteration"] for step in steps[1:3]] == ["i = 1, part 1", "i = 1, part 2"]


def test_equal_iterations_are_one_body() -> None:
    program = load("rc6").compile(128).passes(["inline-calls"])
    steps = StepSequence.of(program, "key_schedule").steps()
    runs = [(body, len(list(group))) for body, group in itertools.groupby(step["body"] for step in steps)]
    assert [count for _, count in runs] == [1, 43, 1, 132]
    assert steps[-1]["iteration"] == "s = 131"


@pytest.mark.parametrize("name", ["aria", "noekeon", "prince", "idea"])
def test_key_schedules_of_both_directions_are_one_sequence(name: str) -> None:
    """Their results are those of one, then of the other, which does not compute again what the first did."""
    cipher = load(name)
    program = cipher.compile(cipher.key_bits[0]).passes(["inline-calls"])
    first, second = "key_schedule", "key_schedule_decrypt"
    both, apart = StepSequence.of(program, first, then=[second]), StepSequence.of(program, second)
    for seed in range(4):
        key = list(Random(seed).randbytes(cipher.key_bits[0] // 8))
        expected = [flat(value) for one in (first, second) for value in program.evaluate(one, [key])]
        assert both.run([key]) == expected
    assert executed(both) <= executed(apart)


def executed(sequence: StepSequence) -> int:
    """Return how many operations the steps of a sequence come to."""
    functions = sequence.program.mirror().functions
    return sum(len(functions[step["body"]].ops) for step in sequence.steps())


def test_places_made_of_numbers_alone_are_known() -> None:
    """XTEA: the words of the key are chosen by bits of a sum of constants."""
    program = load("xtea").compile(128).passes(["inline-calls"])
    for function in ("encrypt", "decrypt"):
        steps = StepSequence.of(program, function).steps()
        chosen = [{word for word in step["reads"] if word.startswith("k[")} for step in steps if not step["wiring"]]
        sums = [n * 0x9E3779B9 for n in range(33)]
        cycles = [{f"k[{a % 4}]", f"k[{b >> 11 & 3}]"} for a, b in itertools.pairwise(sums)]
        assert chosen == (cycles if function == "encrypt" else cycles[::-1])


def test_rounds_whose_constants_are_computed_are_one_body() -> None:
    """Kuznyechik: each of 32 rounds of the key schedule has a constant that is a matrix by a vector of numbers."""
    program = load("kuznyechik").compile(256).passes(["inline-calls"])
    steps = StepSequence.of(program, "key_schedule").steps()
    rounds = [step for step in steps if step["iteration"]]
    assert len(rounds) >= 32
    assert len({step["body"] for step in rounds}) <= 2


@pytest.mark.parametrize("name", ["twofish", "hpc"])
def test_words_that_data_choose(name: str) -> None:
    """Twofish's full keying and HPC: a body takes the word as it takes what it reads, and gives its address."""
    form = "full-keying" if name == "twofish" else ""
    program = load(name).compile(128, form=form).passes(["inline-calls"])
    random = Random(name)
    key, block = list(random.randbytes(16)), list(random.randbytes(16))
    keys = [flat(value) for value in program.evaluate("key_schedule", [key])]
    for function, arguments in (("key_schedule", [key]), ("encrypt", [*keys, block])):
        sequence = StepSequence.of(program, function)
        assert sequence.run(arguments) == [flat(value) for value in program.evaluate(function, arguments)]
    names = [one["name"] for one in sequence.program.functions()]
    of_round = [one for one in names if one.startswith("encrypt_2_address")]
    assert len(of_round) == (8 if name == "twofish" else 3)
