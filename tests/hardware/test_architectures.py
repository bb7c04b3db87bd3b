"""Devices of every architecture, simulated clock by clock: known protocol, every key size, both directions mixed."""

from pathlib import Path
from random import Random

import pytest

from cipherassay._engine import Design, DesignSimulation, Program
from cipherassay.ciphers import load, of_papers
from cipherassay.errors import AssayError
from cipherassay.hardware.rtl.build import build
from cipherassay.hardware.simulation.checking import check
from cipherassay.hardware.simulation.simulators import simulator
from cipherassay.hardware.simulation.vectors import vectors

CASES = [(name, bits) for name in of_papers() for bits in (128, 192, 256)]
IDLE = [0] * 16


class Device:
    """A design with its pins at rest, clocked by method calls."""

    def __init__(self, design: Design) -> None:
        self.simulation = DesignSimulation(design)
        self.inputs = {name: len(words) for name, direction, words in design.ports() if direction == "input"}

    def clock(self, **pins: list[int]) -> dict[str, list[int]]:
        return self.simulation.clock({name: pins.get(name, [0] * n) for name, n in self.inputs.items()})

    def load_key(self, key: list[int]) -> int:
        """Load a key; return the clocks until a block may be loaded."""
        self.clock(load_key=[1], key=key)
        clocks = 1
        while not self.clock()["ready"][0]:
            clocks += 1
            assert clocks < 1000
        return clocks


def compiled(name: str, bits: int) -> tuple[Program, list[int], list[list[int]]]:
    program = load(name).compile(bits).passes(["inline-calls"])
    random = Random(f"{name} {bits}")
    return program, list(random.randbytes(bits // 8)), [list(random.randbytes(16)) for _ in range(5)]


def expected(program: Program, key: list[int], block: list[int], decrypt: bool) -> list[int]:
    result = program.evaluate(
        "decrypt" if decrypt else "encrypt", [*program.evaluate("key_schedule", [key]), block]
    )
    assert isinstance(result[0], list)
    return result[0]


@pytest.mark.parametrize("share", [True, False], ids=["shared", "separate"])
@pytest.mark.parametrize(("name", "bits"), CASES)
def test_iterative(name: str, bits: int, share: bool) -> None:
    program, key, blocks = compiled(name, bits)
    design = Design.build(name, "iterative", [(bits, program)], True, True, share=share)
    device = Device(design)
    (_, _, key_setup, latency, _), *_ = design.timing()
    assert device.load_key(key) == key_setup
    for n, block in enumerate(blocks):
        decrypt = n % 2 == 1
        device.clock(load_data=[1], decrypt=[int(decrypt)], data_in=block)
        for _ in range(latency - 1):
            assert not device.clock(decrypt=[int(not decrypt)])["valid"][0]
        pins = device.clock()
        assert pins["valid"] == [1]
        assert pins["data_out"] == expected(program, key, block, decrypt)
        assert device.clock(take=[1])["data_out"] == pins["data_out"], "a result stays until it is taken"
        assert not device.clock()["valid"][0]


ON_THE_FLY = [(name, bits) for name in ("rijndael", "serpent", "twofish") for bits in (128, 192, 256)]


def way(name: str) -> str:
    return "independent" if name == "twofish" else "window"


@pytest.mark.parametrize("directions", [(True, False), (False, True), (True, True)])
@pytest.mark.parametrize(("name", "bits"), ON_THE_FLY)
def test_iterative_keys_on_the_fly(name: str, bits: int, directions: tuple[bool, bool]) -> None:
    """Every block after the planned setup takes the planned clocks; the first key is followed by a second one."""
    program, key, blocks = compiled(name, bits)
    encrypt, decrypt = directions
    design = Design.build(name, "iterative", [(bits, program)], encrypt, decrypt, keys=way(name))
    device = Device(design)
    for key_bytes in (key, key[::-1]):
        for _, backwards, key_setup, latency, _ in design.timing():
            pins = {"decrypt": [int(backwards)]} if all(directions) else {}
            device.clock(load_key=[1], key=key_bytes)
            for _ in range(key_setup - 1):
                device.clock()
            for block in blocks[:2]:
                assert device.clock(load_data=[1], data_in=block, **pins)["ready"] == [1]
                clocks = 1
                while not (got := device.clock(take=[1]))["valid"][0]:
                    clocks += 1
                assert clocks == latency
                assert got["data_out"] == expected(program, key_bytes, block, backwards)


@pytest.mark.parametrize(("name", "bits"), [(name, bits) for name, bits in ON_THE_FLY if name != "twofish"])
def test_window_takes_key_and_block_together(name: str, bits: int) -> None:
    """Encryption needs no setup: a key may come with every block, while the block before runs."""
    program, key, blocks = compiled(name, bits)
    design = Design.build(name, "iterative", [(bits, program)], True, True, keys="window")
    device = Device(design)
    waiting = [(key[n:] + key[:n], block, n % 3 == 2) for n, block in enumerate(blocks)]
    want = [expected(program, k, block, decrypt) for k, block, decrypt in waiting]
    got = []
    for _ in range(1000):
        load = {}
        if waiting:
            k, block, decrypt = waiting[0]
            load = {"load_key": [1], "key": k, "load_data": [1], "data_in": block, "decrypt": [int(decrypt)]}
        pins = device.clock(take=[1], **load)
        if waiting and pins["ready"][0]:
            waiting.pop(0)
        if pins["valid"][0]:
            got.append(pins["data_out"])
    assert got == want


def register_bits(name: str, keys: str) -> int:
    program, _, _ = compiled(name, 128)
    return dict(Design.build(name, "iterative", [(128, program)], True, True, keys=keys).machines())["key_schedule"]


def test_keys_on_the_fly_keep_fewer_words() -> None:
    """Serpent: a window of eight words and the last one; Rijndael: of four; Twofish: the key, the RS words, whitening."""
    assert register_bits("serpent", "window") == 2 * 8 * 32
    assert register_bits("rijndael", "window") == 2 * 128
    assert register_bits("twofish", "independent") == 128 + 64 + 8 * 32
    assert register_bits("rc6", "auto") == register_bits("rc6", "stored")


def test_a_key_schedule_of_another_kind_is_refused() -> None:
    program, _, _ = compiled("twofish", 128)
    with pytest.raises(AssayError) as caught:
        Design.build("twofish", "iterative", [(128, program)], True, True, keys="window")
    assert (caught.value.code, caught.value.message) == ("H309", "no round key is made from earlier ones")
    program, _, _ = compiled("e2", 128)
    with pytest.raises(AssayError) as caught:
        Design.build("e2", "iterative", [(128, program)], True, True, keys="window")
    assert (caught.value.code, caught.value.places[0].line) == ("H310", 55)
    with pytest.raises(AssayError) as caught:
        Design.build("e2", "iterative", [(128, program)], True, True, keys="none")
    assert (caught.value.code, caught.value.message) == ("H308", "there is no way `none` of making round keys")


KEPT = [("rc6", 128), ("rc6", 256), ("mars", 128), ("e2", 192)]


@pytest.mark.parametrize("ahead", [False, True], ids=["in time", "ahead"])
@pytest.mark.parametrize(("name", "bits"), KEPT)
def test_round_keys_in_latches(name: str, bits: int, ahead: bool) -> None:
    """Two keys, both directions; a block waits behind a result that is not taken, and overwrites nothing."""
    program, key, blocks = compiled(name, bits)
    design = Design.build(
        name, "iterative", [(bits, program)], True, True, keys="auto", storage="latches", ahead=ahead
    )
    device = Device(design)
    for key_bytes in (key[::-1], key):
        assert device.load_key(key_bytes) == design.timing()[0][2]
        want = [expected(program, key_bytes, block, n == 1) for n, block in enumerate(blocks[:2])]
        for n, block in enumerate(blocks[:2]):
            while not device.clock(load_data=[1], data_in=block, decrypt=[n])["ready"][0]:
                pass
        for result in want:
            while not (pins := device.clock())["valid"][0]:
                pass
            for _ in range(2 * design.timing()[0][4]):
                assert device.clock()["data_out"] == pins["data_out"] == result
            device.clock(take=[1])


def test_latches_keep_what_is_written_one_by_one() -> None:
    """RC6: 44 words; MARS: 40; what is read a clock after it is written stays in flip-flops, once."""

    def bits_of(name: str, storage: str) -> int:
        program, _, _ = compiled(name, 128)
        design = Design.build(name, "iterative", [(128, program)], True, True, storage=storage)
        return dict(design.machines())["key_schedule"]

    # Words L, A, B; beside them the words S, and the word of S that was written last.
    assert bits_of("rc6", "registers") == (4 + 2 + 44) * 32
    assert bits_of("rc6", "latches") == (4 + 2 + 44 + 1) * 32
    assert bits_of("mars", "latches") == bits_of("mars", "registers") == (15 + 40) * 32


@pytest.mark.parametrize(("name", "bits"), [("rijndael", 128), ("serpent", 192), ("twofish", 128), ("twofish", 256)])
def test_round_keys_a_clock_ahead(name: str, bits: int) -> None:
    """No clock more for a block, and every result right."""
    program, key, blocks = compiled(name, bits)
    in_time, ahead = (
        Design.build(name, "iterative", [(bits, program)], True, True, keys="auto", ahead=early)
        for early in (False, True)
    )
    assert [clocks[3:] for clocks in ahead.timing()] == [clocks[3:] for clocks in in_time.timing()]
    device = Device(ahead)
    device.load_key(key)
    for n, block in enumerate(blocks):
        while not device.clock(load_data=[1], data_in=block, decrypt=[n % 2])["ready"][0]:
            pass
        while not (pins := device.clock(take=[1]))["valid"][0]:
            pass
        assert pins["data_out"] == expected(program, key, block, n % 2 == 1)


def test_results_stand_in_the_state() -> None:
    """The Algorithm has the registers of the rounds and no others."""
    for name in of_papers():
        program, _, _ = compiled(name, 128)
        design = Design.build(name, "iterative", [(128, program)], True, True)
        assert dict(design.machines())["algorithm"] == 128


def test_unknown_storage_is_refused() -> None:
    program, _, _ = compiled("rc6", 128)
    with pytest.raises(AssayError) as caught:
        Design.build("rc6", "iterative", [(128, program)], True, True, storage="paper")
    assert (caught.value.code, caught.value.message) == ("H312", "round keys are not kept in `paper`")
    assert caught.value.help == "known: registers, latches"


@pytest.mark.parametrize("name", of_papers())
def test_iterative_back_to_back(name: str) -> None:
    """The next block waits in the Interface: one block every `per_block` clocks."""
    program, key, blocks = compiled(name, 128)
    design = Design.build(name, "iterative", [(128, program)], True, True)
    device = Device(design)
    device.load_key(key)
    per_block = design.timing()[0][4]
    waiting, times, got, clock = list(blocks), [], [], 0
    while len(got) < len(blocks):
        load = {"load_data": [1], "data_in": waiting[0]} if waiting else {}
        pins = device.clock(take=[1], **load)
        if waiting and pins["ready"][0]:
            waiting.pop(0)
        if pins["valid"][0]:
            times.append(clock)
            got.append(pins["data_out"])
        clock += 1
    assert got == [expected(program, key, block, False) for block in blocks]
    assert {b - a for a, b in zip(times, times[1:], strict=False)} == {per_block}


@pytest.mark.parametrize("share", [True, False], ids=["shared", "separate"])
@pytest.mark.parametrize(("name", "bits"), CASES)
def test_pipelined(name: str, bits: int, share: bool) -> None:
    """A block every clock, directions mixed, with a gap."""
    program, key, blocks = compiled(name, bits)
    design = Design.build(name, "pipelined", [(bits, program)], True, True, share=share)
    device = Device(design)
    (_, _, key_setup, latency, _), *_ = design.timing()
    assert device.load_key(key) == key_setup
    enters = [(block, n % 2 == 1) for n, block in enumerate(blocks)]
    enters.insert(3, (IDLE, None))
    got = []
    for clock in range(len(enters) + latency):
        block, decrypt = enters[clock] if clock < len(enters) else (IDLE, None)
        load = {} if decrypt is None else {"load_data": [1], "decrypt": [int(decrypt)], "data_in": block}
        pins = device.clock(**load)
        if pins["valid"][0]:
            assert enters[clock - latency][1] is not None
            got.append(pins["data_out"])
    assert got == [expected(program, key, block, d) for block, d in enters if d is not None]


@pytest.mark.parametrize("directions", [(True, False), (False, True), (True, True)])
@pytest.mark.parametrize(("name", "bits"), ON_THE_FLY)
def test_pipelined_keys_that_travel(name: str, bits: int, directions: tuple[bool, bool]) -> None:
    """Where nothing is set up the key changes with every block, else once."""
    program, key, blocks = compiled(name, bits)
    design = Design.build(name, "pipelined", [(bits, program)], *directions, keys=way(name))
    device = Device(design)
    latency = design.timing()[0][3]
    key_setup = max(clocks[2] for clocks in design.timing())
    # The first key after reset is taken although nothing is ready.
    assert device.clock(load_key=[1], key=key)["ready"] == [0]
    all_wait = all(clocks[2] for clocks in design.timing())
    for _ in range(key_setup - 1):
        assert device.clock()["ready"] == [int(not all_wait)]
    enters = [
        (key if key_setup else key[n:] + key[:n], block, n % 2 == 1 if all(directions) else directions[1])
        for n, block in enumerate(blocks)
    ]
    got = []
    for clock in range(len(enters) + latency):
        load = {}
        if clock < len(enters):
            now, block, decrypt = enters[clock]
            load = {"load_data": [1], "data_in": block}
            load |= {} if key_setup else {"load_key": [1], "key": now}
            load |= {"decrypt": [int(decrypt)]} if all(directions) else {}
        pins = device.clock(**load)
        if pins["valid"][0]:
            got.append(pins["data_out"])
    assert got == [expected(program, k, block, d) for k, block, d in enters]


@pytest.mark.parametrize("name", ["rijndael", "serpent"])
def test_pipelined_encryption_waits_for_no_key(name: str) -> None:
    """A key comes with every block while others are under way; the last one is there for decryption after its setup."""
    program, key, blocks = compiled(name, 128)
    design = Design.build(name, "pipelined", [(128, program)], True, True, keys="window")
    device = Device(design)
    (_, _, at_once, latency, _), (_, _, key_setup, _, _) = design.timing()
    assert at_once == 0 < key_setup
    device.clock(load_key=[1], key=key[::-1])
    want, got = [], []
    for clock in range(len(blocks) + key_setup + latency):
        load = {}
        if clock < len(blocks):
            now = key[clock:] + key[:clock]
            load = {"load_key": [1], "key": now, "load_data": [1], "data_in": blocks[clock], "decrypt": [0]}
            want.append(expected(program, now, blocks[clock], False))
        elif clock == len(blocks) - 1 + key_setup:
            load = {"load_data": [1], "data_in": blocks[0], "decrypt": [1]}
            want.append(expected(program, now, blocks[0], True))
        pins = device.clock(**load)
        if pins["valid"][0]:
            got.append(pins["data_out"])
    assert got == want


def test_an_unknown_architecture_is_refused() -> None:
    program, _, _ = compiled("rc6", 128)
    with pytest.raises(AssayError) as caught:
        Design.build("rc6", "systolic", [(128, program)], True, True)
    assert (caught.value.code, caught.value.message) == ("H303", "there is no architecture `systolic`")
    assert caught.value.help == "known: core, iterative, pipelined"


TWO_OF_A_NAME = '''"""Two round-key arrays made by one helper: no cipher for use."""

from cipherassay.lang import *

pair = Cipher("Pair", block_bits=64, key_bits=(64,), structure="other", source="tests")

def chain(a):
    K = ring(u32, 2)
    K[0] = rotl(a, 3)
    K[1] = a + 1
    return K

@pair.key_schedule
def key_schedule(key):
    a, b = le_words(key)
    return chain(a), chain(b)

@pair.encrypt
def encrypt(keys, plaintext):
    first, second = keys
    L, R = le_words(plaintext)
    for i in rounds(2):
        L, R = R ^ first[i], rotl(L, 5) + second[i]
    return le_bytes(L, R)

@pair.decrypt
def decrypt(keys, ciphertext):
    first, second = keys
    L, R = le_words(ciphertext)
    for i in rounds(1, -1, -1):
        L, R = rotr(R - second[i], 5), L ^ first[i]
    return le_bytes(L, R)
'''


@pytest.mark.parametrize("architecture", ["iterative", "pipelined"])
def test_results_of_one_name_have_registers_of_their_own(tmp_path: Path, architecture: str) -> None:
    (tmp_path / "pair.py").write_text(TWO_OF_A_NAME)
    device = build(load(str(tmp_path / "pair.py")), architecture)
    check(device, vectors(device, 8), simulator("own")).demand()
