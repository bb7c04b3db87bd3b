"""The own simulator as reference: the program's evaluator under the traffic that the test benches make."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from cipherassay._engine import DesignSimulation
from cipherassay.hardware.rtl.build import Device
from cipherassay.hardware.simulation.events import Events
from cipherassay.hardware.simulation.vectors import Vector

SEED = 0xACE1
"""Start of the shift register that makes loads and takes wait at random."""
PATIENCE = 20_000
"""Clocks without a result after which a simulation ends."""

RESET = 2
"""Clocks of reset at the beginning."""

OUTPUTS = ("data_out", "valid", "ready")


def shifted(state: int) -> int:
    """Return the next state of the 16-bit shift register x^16 + x^14 + x^13 + x^11 + 1."""
    bit = (state ^ (state >> 2) ^ (state >> 3) ^ (state >> 5)) & 1
    return (state >> 1) | (bit << 15)


def size_code(device: Device, vector: Vector) -> int:
    """Return the code with which the key of a vector comes: in turn the longest keys have their own and the
    highest, which stands for them, too."""
    code = device.size_code(8 * len(vector.key))
    longest = code == len(device.key_sizes) - 1
    return 2**device.size_width - 1 if longest and vector.number & 1 else code


def locked(device: Device) -> int:
    """Return in how many clocks after a key surely no other is taken: key setup lasts at least as long."""
    return min((c.key_setup for c in device.clocks.values() if c.key_setup), default=1) - 1


class Traffic:
    """What is on the input pins in a clock, from what was on the output pins in those before.

    While the device is in reset, a wrong key and a block are offered; in the clock after, a block without a
    key; and after some keys, as long as these are set up, wrong keys. None of them may be taken. Where there
    is no key, or it comes with every block, the block in the clock after reset is the first.
    """

    def __init__(self, device: Device, vectors: Sequence[Vector]) -> None:
        self.device, self.vectors = device, vectors
        self.loading = self.showing = 0
        self.clock = 0
        self.key_done = self.shown = False
        self.load_key, self.load_data = device.keyed and not device.loads_key, True
        self.keyed = not device.loads_key
        self.wrong = 0
        self.take = True
        self.random = SEED
        self.keys: dict[int, int] = {}
        self.blocks: dict[int, int] = {}
        self.results: dict[int, tuple[int, bytes]] = {}
        self.complaints: list[str] = []

    @property
    def done(self) -> bool:
        """Whether every result was taken."""
        return self.showing == len(self.vectors)

    def pins(self, reset: bool = False) -> dict[str, list[int]]:
        """Return the words of every input pin in this clock, or while the device is in reset."""
        vector = self.vectors[min(self.loading, len(self.vectors) - 1)]
        width = self.device.key_width // 8
        wrong = 0xFF if reset or self.wrong else 0
        values = {
            "load_key": [int(self.load_key or reset)], "load_data": [int(self.load_data)],
            "take": [int(self.take)], self.device.roles[1]: [int(vector.decrypt)],
            "key_size": [size_code(self.device, vector)],
            "key": [byte ^ wrong for byte in vector.key.ljust(width, b"\0")],
            **{pin: list(part) for pin, part in self.device.data_pins(vector.block).items()},
        }  # fmt: skip
        return {name: values[name] for name in self.device.inputs}

    def see(self, outputs: dict[str, list[int]]) -> None:
        """Take note of the output pins at the end of this clock; decide what the next one brings."""
        ready, valid = bool(outputs["ready"][0]), bool(outputs["valid"][0])
        self._key(ready)
        if self.load_data and ready:
            self.blocks[self.loading] = self.clock
            self.loading += 1
            self.key_done = False
        if valid:
            self._result(bytes(outputs["data_out"]))
        self.random = shifted(self.random)
        self._decide()
        self.clock += 1

    def _key(self, ready: bool) -> None:
        if ready and not self.keyed:
            self.complaints.append(f"clock {self.clock}: ready without a key")
        if self.wrong:
            self.wrong -= 1
            if ready:
                self.complaints.append(f"clock {self.clock}: ready while a key is set up")
        elif self.load_key and (ready or not self.keyed):
            self.keys[self.loading] = self.clock
            self.key_done = self.keyed = True
            self.wrong = locked(self.device) if self.vectors[self.loading].again else 0

    def _result(self, data: bytes) -> None:
        if self.showing >= self.loading and self.showing not in self.blocks:
            self.complaints.append(f"clock {self.clock}: a result without a block")
            return
        if not self.shown:
            self.results[self.showing] = (self.clock, data)
        elif data != self.results[self.showing][1]:
            self.complaints.append(f"clock {self.clock}: a result changes while it waits")
        self.shown = "take" in self.device.inputs and not self.take
        self.showing += not self.shown

    def _decide(self) -> None:
        self.load_key, self.load_data = self.wrong > 0, False
        if self.loading < len(self.vectors):
            vector = self.vectors[self.loading]
            idle = not vector.alone or self.showing == self.loading
            may = idle and (not vector.slow or bool(self.random & 1))
            wants_key = vector.new_key and not self.key_done
            self.load_key = (may and wants_key) or self.wrong > 0
            self.load_data = may and (vector.together or not wants_key)
        slow = not self.done and self.vectors[self.showing].slow
        self.take = not slow or bool(self.random & 2)


Pins = dict[str, list[int]]


def clocks(device: Device, traffic: Traffic, registers: bool = False) -> Iterator[tuple[list[int], Pins]]:
    """Simulate; yield, clock by clock, all registers before the clock's edge (if asked for) and all pins."""
    simulation = DesignSimulation(device.design)
    last = 0
    for _ in range(RESET):
        simulation.clock(traffic.pins(reset=True), reset=True)
    while not traffic.done and traffic.clock - last < PATIENCE:
        before = traffic.showing
        state = simulation.state() if registers else []
        inputs = traffic.pins()
        outputs = simulation.clock(inputs)
        yield state, {**inputs, **outputs}
        traffic.see(outputs)
        if traffic.showing != before:
            last = traffic.clock


def simulate(
    device: Device, vectors: Sequence[Vector], watch: Callable[[Pins], None] = lambda pins: None
) -> Events:
    """Run the vectors through a device; `watch` is shown all pins of every clock."""
    traffic = Traffic(device, vectors)
    for _, pins in clocks(device, traffic):
        watch(pins)
    return Events(traffic.keys, traffic.blocks, traffic.results, traffic.clock, tuple(traffic.complaints))


def trace(device: Device, vectors: Sequence[Vector]) -> Iterator[list[int]]:
    """Yield, clock by clock, every register and output pin in the order of :func:`columns`."""
    widths = {name: device.words[name] for name in OUTPUTS}
    for state, pins in clocks(device, Traffic(device, vectors), registers=True):
        yield state + [_joined(pins[name], widths[name]) for name in OUTPUTS]


def columns(device: Device) -> list[tuple[tuple[str, str], int]]:
    """Return block and name of every register and output pin, with its width in bits.

    Registers are named as in the emitted files, words of stores with their number; a pin's block is empty.
    """
    registers = [((block, name), width) for block, name, width in device.design.registers()]
    return registers + [(("", name), sum(device.words[name])) for name in OUTPUTS]


def _joined(words: Sequence[int], widths: Sequence[int]) -> int:
    """Return the words of a bus as one number, the first in the most significant bits."""
    number = 0
    for word, width in zip(words, widths, strict=True):
        number = number << width | word
    return number
