"""Clock counts of a device that its simulation showed: key setup, latency, block to block, change of key."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from random import Random

from cipherassay.errors import VerificationError
from cipherassay.hardware.rtl.build import Device, rate
from cipherassay.hardware.simulation import own
from cipherassay.hardware.simulation.events import Events, verdict_of
from cipherassay.hardware.simulation.vectors import Answers, Vector, vectors, within
from cipherassay.hardware.tools import cached

EVERY = 32
"""Of the Variable Key and Text tests, each so many bits; `assay simulate --rtl` makes all of them."""
_KEYS = 3
"""Changes of key, and one more for each core: with copies side by side every core is the first once."""
_KEYS_BRIEF, _CLOCKS_BRIEF = 1, 2000
"""The same in brief, and the clocks that vectors take beyond those that show the counts."""


@dataclass(frozen=True)
class Counts:
    """Clocks of a key size and direction."""

    key_setup: int
    latency: int
    per_block: int
    key_switch: int
    """Key agility: from the result of the last block under one key to that of the first under the next, with
    keys and blocks given as early as the device takes them; with copies side by side the longest."""
    block_bits: int
    """Bits of a result."""
    copies: int = 1
    """Cores side by side: so many blocks come in ``per_block`` clocks."""

    @property
    def rate(self) -> int | str:
        """The clocks from block to block for people."""
        return rate(self.per_block, self.copies)


Each = dict[tuple[int, bool], Counts]
"""Counts per key size and direction (True: decryption)."""


def confirmed(device: Device, *, brief: bool = False) -> Each:
    """Return the clock counts of a device, each shown by the own simulator; what was shown once is kept.

    In brief, fewer vectors show them.

    Raises
    ------
    VerificationError
        ``H505`` .. ``H508``: the simulation fails, or shows other counts than those planned; ``H513``:
        changes of key do not all take the same clocks.
    """
    files = "".join(f"{name}\n{text}" for name, text in device.design.files("verilog"))
    keys, blocks = _changed(device.copies, brief=brief)
    shown: dict[str, object] = {"every": EVERY, "keys": keys, "blocks": blocks}
    shown |= {"clocks": _CLOCKS_BRIEF} if brief else {}
    key = cached.key(kind="counts", design=cached.digest(files), **shown)
    text = cached.CACHE.made(
        key, lambda: json.dumps([[*one, asdict(counts)] for one, counts in _simulated(device, brief).items()])
    )
    size = {"block_bits": 8 * device.result_bytes}
    return {(bits, decrypt): Counts(**counts | size) for bits, decrypt, counts in json.loads(text)}


def _changed(copies: int, *, brief: bool) -> tuple[int, int]:
    """Return how many keys come one after the other, and the blocks of each, which reach a steady state."""
    return (_KEYS_BRIEF if brief else _KEYS) + copies, 2 * copies + 1


def _simulated(device: Device, brief: bool) -> Each:
    tests = vectors(device, EVERY)
    if brief:
        tests = within(device, tests, _CLOCKS_BRIEF)
    verdict_of(device, tests, own.simulate(device, tests), "own").demand()
    switches = _switches(device, brief) if device.keyed else {}
    return {
        mode: Counts(
            planned.key_setup, planned.latency, planned.per_block, switches.get(mode, 0),
            8 * device.result_bytes, device.copies,
        )
        for mode, planned in device.clocks.items()
    }  # fmt: skip


def _switches(device: Device, brief: bool) -> dict[tuple[int, bool], int]:
    """Return the clocks that a change of key takes, per key size and direction."""
    changes = list(_changes(device, brief))
    events = own.simulate(device, changes)
    verdict_of(device, changes, events, "own").demand(clocks=False)
    return {
        (bits, decrypt): key_switch(device.name, changes, events, bits, decrypt, device.copies)
        for bits, decrypt in device.clocks
    }


def _changes(device: Device, brief: bool = False) -> Iterator[Vector]:
    """Yield blocks of one direction and key size after another, with a new key every few blocks."""
    random = Random(1)
    keys, blocks = _changed(device.copies, brief=brief)
    for (bits, decrypt), planned in device.clocks.items():
        answers = Answers(device.programs[bits], device)
        for _ in range(keys):
            key = random.randbytes(bits // 8)
            for number in range(1, blocks + 1):
                block = random.randbytes(device.input_bytes)
                yield Vector(
                    "key switch", number, key, decrypt, block, answers.run(key, block, decrypt),
                    new_key=number == 1, alone=False, slow=False, together=not planned.key_setup,
                )  # fmt: skip


def key_switch(
    design: str, tests: list[Vector], events: Events, bits: int, decrypt: bool, copies: int = 1
) -> int:
    """Return the clocks that a change of key takes, from result to result.

    They differ where cores side by side finish at different times; then the longest counts. Raises
    VerificationError ``H513`` where they differ in one core.
    """
    own_tests = {n for n, one in enumerate(tests) if (8 * len(one.key), one.decrypt) == (bits, decrypt)}
    seen = {
        events.results[n][0] - events.results[n - 1][0]
        for n in own_tests
        if tests[n].new_key and n - 1 in own_tests
    }
    if not seen or (copies == 1 and len(seen) > 1):
        raise VerificationError(
            "H513",
            f"changes of key of {design} do not all take the same clocks",
            notes=[f"{bits} bits, {'decryption' if decrypt else 'encryption'}: {sorted(seen)}"],
        )
    return max(seen)
