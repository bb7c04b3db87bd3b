"""Self-checking test benches of a device in Verilog and VHDL, with the vectors as a file beside them.

Both make the traffic of :class:`~cipherassay.hardware.simulation.own.Traffic`, clock by clock.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from cipherassay.hardware.netlists.verilog_netlist import bit_range
from cipherassay.hardware.rtl.build import Device
from cipherassay.hardware.simulation.own import PATIENCE, RESET, SEED, locked, size_code
from cipherassay.hardware.simulation.vectors import Vector, word_bytes

if TYPE_CHECKING:
    import jinja2

_TEMPLATES = Path(__file__).with_name("templates")
ENDINGS = {"verilog": ".v", "vhdl": ".vhd"}
_NEW_KEY, _DECRYPT, _ALONE, _SLOW = 1, 2, 4, 8
_TOGETHER, _AGAIN = 1, 2
"""How a new key is offered: in one clock with its block; wrong ones while it is set up."""


def template(path: Path) -> jinja2.Template:
    """Return the template of a file."""
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(path.parent), trim_blocks=True, lstrip_blocks=True,
        undefined=jinja2.StrictUndefined, keep_trailing_newline=True, autoescape=False,
    )  # fmt: skip
    environment.filters["range"] = bit_range
    return environment.get_template(path.name)


def bench(
    device: Device, vectors: Sequence[Vector], language: str, period_ns: float = 0.0
) -> tuple[str, str]:
    """Return name and text of a device's test bench in ``verilog`` or ``vhdl``.

    With a period, its clock has it, to the picosecond, and inputs change soon after the rising edge; in
    Verilog. Else a clock takes ten units of time.
    """
    half = round(500 * period_ns) / 1000 if period_ns else 5
    early = round(half / 50, 3) if period_ns else 2
    ending = ENDINGS[language]
    text = template(_TEMPLATES / f"bench{ending}").render(
        name=device.name,
        half=half,
        early=early,
        rest=round(half - early, 3),
        late=round(half - 2 * early, 3),
        precision="1ps" if period_ns else "1ns",
        count=len(vectors),
        keyed=device.keyed,
        loads_key=device.loads_key,
        key_width=device.key_width,
        backward=device.roles[1],
        block=8 * device.result_bytes,
        word=8 * word_bytes(device.result_bytes),
        behind=_behind(device),
        above=_behind(device) + 4 * size_digits(device),
        size_codes=device.size_codes if device.size_width else "",
        patience=PATIENCE,
        reset=RESET,
        locked=locked(device),
        seed=f"{SEED:04x}",
        take="take" in device.inputs,
        pins=_pins(device, language),
    )
    return f"{device.name}_bench{ending}", text


def _pins(device: Device, language: str) -> list[tuple[str, str]]:
    """Return every pin with what the test bench connects to it."""
    width, behind = device.key_width, _behind(device)
    left, right, to = ("(", ")", " downto ") if language == "vhdl" else ("[", "]", ":")

    def of(high: int, low: int | None = None) -> str:
        inner = str(high) if low is None else f"{high}{to}{low}"
        return f"vector{left}{inner}{right}"

    result, tweak, size = 8 * device.result_bytes, 8 * device.tweak_bytes, device.size_width
    above = width + behind + 4 * size_digits(device)
    values = {
        "key": "key_offered", "data_in": of(behind - 1, result + tweak),
        "tweak": of(result + tweak - 1, result),
        device.roles[1]: of(above + 5),
        "key_size": of(width + behind + size - 1, width + behind if size > 1 else None),
    }  # fmt: skip
    pins = ["clock", "reset", *device.words]
    return [(pin, values.get(pin, pin)) for pin in pins]


def _behind(device: Device) -> int:
    """Return the bits of a vector behind its key: block and result."""
    return 8 * (device.input_bytes + device.result_bytes)


def size_digits(device: Device) -> int:
    """Return the hexadecimal digits of the size of a key in a vector."""
    return (device.size_width + 3) // 4


def vector_file(device: Device, vectors: Sequence[Vector]) -> tuple[str, str]:
    """Return name and text of the vectors that the test benches read."""
    digits, of_size = device.key_width // 4, size_digits(device)
    lines = []
    for v in vectors:
        head = f"{_flags(v):x}{_TOGETHER * v.together | _AGAIN * v.again:x}"
        head += f"{size_code(device, v):0{of_size}x}" if of_size else ""
        lines.append(head + v.key.hex().ljust(digits, "0") + v.block.hex() + v.expected.hex())
    return f"{device.name}_vectors.hex", "\n".join(lines) + "\n"


def _flags(vector: Vector) -> int:
    return _NEW_KEY * vector.new_key | _DECRYPT * vector.decrypt | _ALONE * vector.alone | _SLOW * vector.slow


def vector_titles(device: Device, vectors: Sequence[Vector]) -> tuple[str, str]:
    """Return name and text of the file that says what each vector tests."""
    lines = [f"{number} {vector.title}" for number, vector in enumerate(vectors)]
    return f"{device.name}_vectors.txt", "\n".join(lines) + "\n"


def files(device: Device, vectors: Sequence[Vector], languages: Sequence[str]) -> list[tuple[str, str]]:
    """Return the test benches in some languages, and the vectors."""
    benches = [bench(device, vectors, language) for language in languages]
    return [*benches, vector_file(device, vectors), vector_titles(device, vectors)]
