"""What a device is tested with: NIST's Variable Key and Variable Text tests, mixed traffic after them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import gcd
from random import Random

from cipherassay._engine import Program
from cipherassay.hardware.rtl.build import Device

MIXED = 32
"""Blocks of mixed directions at the end, per key size."""
WITH_BLOCK = 8
"""Keys offered in one clock with a block, per key size."""
CHANGES = 6
"""Keys that change while blocks are under way, per key size."""
FEW = {"variable key": 2, "variable text": 1, "key changes": 6, "key with block": 2, "mixed": 4}
"""Vectors of each test in `few`."""
_BLOCKS = 5
"""Blocks of each of them; a direction for which keys need no setup has one with every block."""
_ALONE = 16
"""Each so many bits of the Variable Key test, the device is empty: clocks are counted there."""


@dataclass(frozen=True)
class Vector:
    """A block through the device, and what must come out."""

    test: str
    """``variable key``, ``variable text``, ``key changes``, ``key with block``, ``mixed`` or
    ``mixed key sizes``."""
    number: int
    """Of the bit that is 1, from the leftmost, or of the block, from 1."""
    key: bytes
    decrypt: bool
    block: bytes
    """With its tweak behind it, if there is one."""
    expected: bytes
    new_key: bool
    """The key is loaded before the block."""
    alone: bool
    """The block waits until the device is empty."""
    slow: bool
    """Loads wait at random, and an iterative core's result is taken at random."""
    together: bool = False
    """A new key is offered in one clock with its block."""
    again: bool = False
    """While the key is set up, wrong ones are offered, which the device does not take."""

    @property
    def title(self) -> str:
        """The vector for people: ``variable key, 128 bits, number 5, decryption``."""
        if not self.key:
            return f"{self.test}, number {self.number}, {'backward' if self.decrypt else 'forward'}"
        direction = "decryption" if self.decrypt else "encryption"
        return f"{self.test}, {8 * len(self.key)} bits, number {self.number}, {direction}"


class Answers:
    """The cipher by the reference evaluator."""

    def __init__(self, program: Program, device: Device) -> None:
        self.program, self.device, self.input_bytes = program, device, device.input_bytes
        self.keys: dict[tuple[str, bytes], list[object]] = {}

    def run(self, key: bytes, block: bytes, decrypt: bool) -> bytes:
        """Return the result of a block."""
        keys = self._round_keys(key, decrypt) if self.device.keyed else []
        (words,) = self.program.evaluate(
            self.device.operation(decrypt),
            [*keys, list(block)],  # type: ignore[list-item]
        )
        assert isinstance(words, list)
        return bytes(words)

    def _round_keys(self, key: bytes, decrypt: bool) -> list[object]:
        """Return the round keys of a direction; those of the key asked for last are kept."""
        schedule = self.device.schedule(decrypt)
        if (schedule, key) not in self.keys:
            self.keys = {known: words for known, words in self.keys.items() if known[1] == key}
            self.keys[schedule, key] = list(self.program.evaluate(schedule, [list(key)]))
        return self.keys[schedule, key]


def vectors(device: Device, every: int = 1) -> list[Vector]:
    """Return the vectors of all key sizes and directions that a device serves.

    ``every`` takes each n-th bit of the two tests only (the first and the last always). Per key size: the
    Variable Key test, each key with one block per direction, a key loaded while blocks of the one before are
    under way; the Variable Text test, a direction at a time, as fast as blocks are taken; keys that
    change while blocks are under way, with every block of a direction without setup, all as fast as they
    are taken; keys offered in one clock with their blocks; random blocks of mixed directions, loaded and
    taken at random. Devices of several key sizes get blocks of mixed key sizes after them. Wherever a key
    that is set up keeps others out, every other one is followed by wrong ones. Where there is no key, only
    the Variable Text test and the random blocks are there.
    """
    found: list[Vector] = []
    # A run that is long enough: three blocks show the clocks between them, and every core has several.
    text_bits = 8 * device.input_bytes
    closely = min(every, max(1, text_bits // (2 if device.copies == 1 else 4 * device.copies)))
    of_size = {bits: Answers(program, device) for bits, program in device.programs.items()}
    for bits, answers in of_size.items():
        directions = [decrypt for size, decrypt in device.clocks if size == bits]
        if device.keyed:
            found += _variable_key(answers, bits, directions, every)
        found += _variable_text(answers, bits, directions, closely)
        if device.keyed:
            without_setup = {d: not device.clocks[bits, d].key_setup for d in directions}
            found += _key_changes(answers, bits, without_setup)
            found += _key_with_block(answers, bits, directions)
        found += _mixed(answers, bits, directions)
    if len(of_size) > 1:
        found += _mixed_sizes(of_size, sorted({decrypt for _, decrypt in device.clocks}))
    all_wait = all(clocks.key_setup for clocks in device.clocks.values())

    def offered(number: int, vector: Vector) -> Vector:
        setup = device.clocks[8 * len(vector.key), vector.decrypt].key_setup
        together = vector.together or not setup or number == 0
        again = vector.new_key and vector.number % 2 == 1 and (all_wait or (vector.together and setup > 0))
        return replace(vector, together=together, again=again)

    if not device.keyed:
        return [replace(vector, new_key=False) for vector in found]
    return [offered(number, vector) for number, vector in enumerate(found)]


def few(device: Device) -> list[Vector]:
    """Return the first vectors of each test and key size, for simulations that take long: keys that are set
    up for both directions, change while blocks are under way, and come with a block, gaps."""
    seen: Counter[tuple[str, int]] = Counter()
    found = []
    for one in vectors(device, 8 * max(device.key_width, device.input_bytes)):
        which = one.test, len(one.key)
        seen[which] += 1
        if seen[which] <= FEW.get(one.test, 0):
            found.append(one)
    return found


def within(device: Device, tests: Sequence[Vector], clocks: int) -> list[Vector]:
    """Return the first of a device's vectors that take so many clocks together, as planned.

    The first key of the Variable Key test and the Variable Text test, which show all clock counts, are there
    in any case; so is the next key of a direction without key setup, since after reset the first one waits.
    """
    shown = [one for mode, planned in device.clocks.items() for one in _shown(tests, mode, planned.key_setup)]
    found = [one for one in tests if one.test == "variable text" or one in shown]
    spent = sum(_clocks(device, one) for one in found)
    rest = [one for one in tests if one not in found]
    for one in rest:
        spent += _clocks(device, one)
        if spent > clocks:
            break
        found.append(one)
    return [one for one in tests if one in found]


def _shown(tests: Sequence[Vector], mode: tuple[int, bool], key_setup: int) -> list[Vector]:
    """Return the first vectors of a key size and direction whose keys show the clocks of key setup."""
    own = [one for one in tests if one.test == "variable key" and (8 * len(one.key), one.decrypt) == mode]
    return [one for one in own if one.alone and one.new_key][: 1 if key_setup else 2]


def _clocks(device: Device, vector: Vector) -> int:
    planned = device.clocks[8 * len(vector.key), vector.decrypt]
    return planned.latency + (planned.key_setup if vector.new_key else 0)


def _bits(size: int, every: int) -> Iterator[tuple[int, bytes]]:
    for number in range(1, size + 1):
        if (number - 1) % every == 0 or number == size:
            yield number, (1 << (size - number)).to_bytes(size // 8)


def _one(answers: Answers, key: bytes, plain: bytes, decrypt: bool) -> tuple[bytes, bytes]:
    """Return block and result of a test that is defined by a plaintext: decryption goes back to it. A tweak
    stays behind its block."""
    cipher = answers.run(key, plain, False)
    size = len(cipher)
    return (cipher + plain[size:], plain[:size]) if decrypt else (plain, cipher)


def _variable_key(answers: Answers, bits: int, directions: list[bool], every: int) -> Iterator[Vector]:
    for number, key in _bits(bits, every):
        for n, decrypt in enumerate(directions):
            block, expected = _one(answers, key, bytes(answers.input_bytes), decrypt)
            # The last in any case: the first key waits after reset, so one alone behind it shows the setup.
            alone = number in (1, bits) or number % _ALONE == 0
            yield Vector("variable key", number, key, decrypt, block, expected, n == 0 or alone, alone, False)


def _variable_text(answers: Answers, bits: int, directions: list[bool], every: int) -> Iterator[Vector]:
    key = bytes(bits // 8)
    for n, decrypt in enumerate(directions):
        for count, (number, text) in enumerate(_bits(8 * answers.input_bytes, every)):
            block, expected = _one(answers, key, text, decrypt)
            # The second finds the device empty and its key set up: latency by itself.
            new_key, alone = n == 0 and count == 0, count == 1
            yield Vector("variable text", number, key, decrypt, block, expected, new_key, alone, False)


def _key_changes(answers: Answers, bits: int, without_setup: dict[bool, bool]) -> Iterator[Vector]:
    random = Random(bits + 1)
    directions = list(without_setup)
    key = b""
    for number in range(CHANGES * _BLOCKS):
        decrypt = random.choice(directions)
        new_key = without_setup[decrypt] or number % _BLOCKS == 0
        key = random.randbytes(bits // 8) if new_key else key
        block = random.randbytes(answers.input_bytes)
        expected = answers.run(key, block, decrypt)
        yield Vector("key changes", number + 1, key, decrypt, block, expected, new_key, False, False)


def _key_with_block(answers: Answers, bits: int, directions: list[bool]) -> Iterator[Vector]:
    """Give keys in one clock with a block, then a block of the other direction; half of them slowly."""
    random = Random(bits + 2)
    for number in range(1, WITH_BLOCK + 1):
        key, first = random.randbytes(bits // 8), number // 2 % 2
        for new_key, decrypt in ((True, directions[-first]), (False, directions[first - 1])):
            block = random.randbytes(answers.input_bytes)
            expected, slow = answers.run(key, block, decrypt), 2 * number > WITH_BLOCK
            yield Vector(
                "key with block", number, key, decrypt, block, expected, new_key, False, slow, together=True
            )


def _mixed(answers: Answers, bits: int, directions: list[bool]) -> Iterator[Vector]:
    random = Random(bits)
    key = b""
    for number in range(1, MIXED + 1):
        new_key = number % 12 == 1
        key = random.randbytes(bits // 8) if new_key else key
        block, decrypt = random.randbytes(answers.input_bytes), random.choice(directions)
        expected = answers.run(key, block, decrypt)
        yield Vector("mixed", number, key, decrypt, block, expected, new_key, False, True)


def _mixed_sizes(of_size: dict[int, Answers], directions: list[bool]) -> Iterator[Vector]:
    """Give keys of every size in random order, each for up to three blocks."""
    random = Random(len(of_size))
    (size,) = {answers.input_bytes for answers in of_size.values()}
    key = b""
    left = 0
    for number in range(1, MIXED + 1):
        new_key = left == 0
        if new_key:
            key = random.randbytes(random.choice(sorted(of_size)) // 8)
            left = random.randint(1, 3)
        left -= 1
        block, decrypt = random.randbytes(size), random.choice(directions)
        expected = of_size[8 * len(key)].run(key, block, decrypt)
        # The first half as fast as the device takes it.
        slow = 2 * number > MIXED
        yield Vector("mixed key sizes", number, key, decrypt, block, expected, new_key, False, slow)


def word_bytes(result_bytes: int) -> int:
    """Return the bytes of the words in which results are compared: 4, or 2 or 1 that divide a result."""
    return gcd(result_bytes, 4)


def first_difference(found: bytes, expected: bytes) -> int | None:
    """Return the number of the first word that differs, from 0."""
    size = word_bytes(len(expected))
    for n in range(0, len(expected), size):
        if found[n : n + size] != expected[n : n + size]:
            return n // size
    return None
