"""Devices for keys of several sizes: every size, mixed sizes, padding that the programs show."""

from itertools import product

import pytest

from cipherassay._engine import Design
from cipherassay.ciphers import load, of_papers
from cipherassay.errors import AssayError
from cipherassay.hardware.rtl import build
from cipherassay.hardware.rtl.build import Device
from cipherassay.hardware.simulation import own, simulators
from cipherassay.hardware.simulation.events import verdict_of
from cipherassay.hardware.simulation.vectors import few, vectors
from support.command import assay
from support.usual import usual

EVERY = 64
SIZES = (128, 192, 256)
MIXED = (("rijndael", "iterative"), ("rijndael", "pipelined"), ("rc6", "iterative"), ("twofish", "pipelined"))
ON_THE_FLY = (("rijndael", "iterative"), ("serpent", "pipelined"), ("twofish", "iterative"), ("twofish", "pipelined"))
ONE_DIRECTION = (("iterative", "decrypt"), ("pipelined", "encrypt"))
OTHERS = [
    pytest.param("icarus", "rijndael", "pipelined", marks=pytest.mark.slow),
    ("ghdl", "twofish", "iterative"),
]


def device(name: str, architecture: str, **options: str) -> Device:
    return build.build(load(name), architecture, "3in1", **options)


@pytest.mark.parametrize(("name", "architecture"), usual(product(of_papers(), build.WITH_INTERFACE), MIXED))
def test_every_size_and_mixed_sizes(name: str, architecture: str) -> None:
    made = device(name, architecture)
    tests = vectors(made, EVERY)
    assert {8 * len(v.key) for v in tests if v.test == "mixed key sizes"} == set(SIZES)
    verdict = verdict_of(made, tests, own.simulate(made, tests), "own")
    verdict.demand()
    assert set(verdict.passed) == {
        "variable key", "variable text", "key changes", "key with block", "mixed", "mixed key sizes",
    }  # fmt: skip
    assert len(verdict.confirmed) == 3 * 6


@pytest.mark.parametrize(
    ("name", "architecture"), usual(product(["rijndael", "serpent", "twofish"], build.WITH_INTERFACE), ON_THE_FLY)
)
def test_round_keys_on_the_fly(name: str, architecture: str) -> None:
    """Keys of mixed sizes come with their blocks where nothing is set up."""
    made = device(name, architecture, strategy_name="on-the-fly")
    stored = device(name, "iterative").registers["key_schedule"]
    assert architecture == "pipelined" or made.registers["key_schedule"] < stored / 2
    tests = vectors(made, EVERY)
    verdict_of(made, tests, own.simulate(made, tests), "own").demand()
    free = {decrypt for (_, decrypt), clocks in made.clocks.items() if clocks.key_setup == 0}
    stored_words = {"twofish iterative": set(), "twofish pipelined": {False, True}}
    assert free == stored_words.get(f"{name} {architecture}", {False})


@pytest.mark.parametrize(("name", "table", "alone", "together"), [("rijndael", "S", 4, 4), ("twofish", "q0", 12, 20)])
def test_key_sizes_share_the_tables_of_the_key_schedule(name: str, table: str, alone: int, together: int) -> None:
    """Rijndael: four S-boxes for every size; Twofish: h for 256 bits holds that for 128 bits."""

    def look_ups(key: str) -> int:
        made = build.build(load(name), "iterative", key, strategy_name="on-the-fly")
        functions = made.design.program.text().split("func @")
        return sum(text.count(f"lookup @{table}[") for text in functions if text.startswith("key_schedule"))

    assert (look_ups("128"), look_ups("3in1")) == (alone, together)


@pytest.mark.parametrize(
    ("architecture", "direction"), usual(product(build.WITH_INTERFACE, ["encrypt", "decrypt"]), ONE_DIRECTION)
)
def test_one_direction(architecture: str, direction: str) -> None:
    made = device("rijndael", architecture, direction=direction)
    assert "decrypt" not in made.inputs
    tests = vectors(made, EVERY)
    verdict_of(made, tests, own.simulate(made, tests), "own").demand()


@pytest.mark.parametrize("architecture", build.WITH_INTERFACE)
def test_the_pins(architecture: str) -> None:
    made = device("mars", architecture)
    assert made.name == f"mars_{architecture}_3in1"
    assert (made.inputs["key"], made.inputs["key_size"]) == (256, 2)


def test_rounds_of_each_size() -> None:
    """Rijndael: 10, 12 and 14 rounds where there is one set of registers; one latency in the pipeline."""
    iterative = device("rijndael", "iterative").clocks
    assert [iterative[bits, False].per_block for bits in SIZES] == [11, 13, 15]
    assert [iterative[bits, False].key_setup for bits in SIZES] == [43, 49, 55]
    pipelined = device("rijndael", "pipelined").clocks
    assert {c.latency for c in pipelined.values()} == {16}


def test_padding_is_found_in_the_programs() -> None:
    """Serpent: one 1 bit, then 0 bits; E2: S^3(v) and S^4(v); the others have schedules of their own."""
    found = {}
    for name in of_papers():
        short, middle, long = (load(name).compile(bits) for bits in SIZES)
        found[name] = [Design.padding(short, long), Design.padding(middle, long)]
    assert found["serpent"] == [bytes([1]) + bytes(15), bytes([1]) + bytes(7)]
    e2 = found["e2"][0]
    assert e2 is not None
    assert (e2[:8].hex(), e2[8:]) == ("582ed33084499eb8", found["e2"][1])
    assert all(found[name] == [None, None] for name in ("mars", "rc6", "rijndael", "twofish"))


def test_padded_keys_need_one_key_schedule() -> None:
    for name in ("serpent", "e2"):
        three = device(name, "iterative").registers
        one = build.build(load(name), "iterative", "256").registers
        assert three == one


def test_wrong_padding_and_other_sizes_are_refused() -> None:
    programs = [(bits, load("serpent").compile(bits).passes(["inline-calls"])) for bits in SIZES]
    with pytest.raises(AssayError) as caught:
        Design.build("serpent", "iterative", programs, True, True, pads=[(128, bytes(16)), (192, bytes(8))])
    message = "the key schedule of keys of 128 bits is not that of the padded keys"
    assert (caught.value.code, caught.value.message) == ("H311", message)
    with pytest.raises(AssayError) as caught:
        Design.build("serpent", "pipelined", programs[::-1], True, True)
    message = "a pipelined device is built for one key size, or for several in ascending order"
    assert (caught.value.code, caught.value.message) == ("H301", message)


OF_OTHER_NUMBERS = (
    ("present", "2in1", 1, "0: 80, 1: 128 bits"),
    ("rijndael", "128+256", 1, "0: 128, 1: 256 bits"),
    ("skinny64", "3in1", 2, "0: 64, 1: 128, 2 and 3: 192 bits"),
    ("led", "4in1", 2, "0: 64, 1: 80, 2: 96, 3: 128 bits"),
    ("cast256", "5in1", 3, "0: 128, 1: 160, 2: 192, 3: 224, 4 to 7: 256 bits"),
)


@pytest.mark.parametrize("architecture", build.WITH_INTERFACE)
@pytest.mark.parametrize(("name", "key", "width", "codes"), OF_OTHER_NUMBERS)
def test_other_numbers_of_sizes(name: str, key: str, width: int, codes: str, architecture: str) -> None:
    made = build.build(load(name), architecture, key)
    assert (made.size_width, made.size_codes) == (width, codes)
    mixed = [one for one in vectors(made, 8 * made.key_width) if one.test == "mixed key sizes"]
    tests = [*few(made), *mixed]
    assert {own.size_code(made, one) for one in tests} >= set(range(len(made.key_sizes)))
    for simulator in ("own", "icarus", "ghdl" if (name, architecture) == ("led", "iterative") else "own"):
        reference = simulators.simulator(simulator)
        if reason := reference.available():
            pytest.skip(reason)
        verdict = verdict_of(made, tests, reference.simulate(made, tests), simulator)
        assert not verdict.failures
        assert not verdict.complaints


@pytest.mark.parametrize(("simulator", "name", "architecture"), OTHERS)
def test_others_see_the_same_clock_by_clock(simulator: str, name: str, architecture: str) -> None:
    reference = simulators.simulator(simulator)
    if reason := reference.available():
        pytest.skip(reason)
    made = device(name, architecture)
    tests = vectors(made, EVERY)
    events = reference.simulate(made, tests)
    assert events == own.simulate(made, tests)
    verdict_of(made, tests, events, simulator).demand()


@pytest.mark.usefixtures("every_vector")
def test_the_verbs(capsys: pytest.CaptureFixture[str]) -> None:
    done = assay(capsys, "simulate", "--rtl", "rc6", "--key-bits", "3in1", "--every", "64", "--json")
    assert done.code == 0
    assert done.json["tests"]["mixed key sizes"] == {"passed": 32, "vectors": 32}
