"""A device as files: its modules, test benches, vectors, a README and the picture of its pins."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from cipherassay import tools
from cipherassay.hardware.emission import fusesoc, speed_grades, waveform
from cipherassay.hardware.emission.cocotb_test import cocotb_test
from cipherassay.hardware.emission.notebook import notebook
from cipherassay.hardware.emission.structures import data_flow
from cipherassay.hardware.emission.top_level import top_level
from cipherassay.hardware.emission.wrappers import behind_block, wrappers
from cipherassay.hardware.protocol import assertions, proof
from cipherassay.hardware.rtl.bodies import bodies
from cipherassay.hardware.rtl.build import CORE, Device
from cipherassay.hardware.simulation import benches
from cipherassay.hardware.simulation.vectors import vectors
from cipherassay.hardware.timing import constraints

LANGUAGES = {"verilog": ("verilog",), "vhdl": ("vhdl",), "both": ("verilog", "vhdl")}
_TEMPLATE = Path(__file__).parent / "templates" / "README.md"
_LEAST, _MOST = 4, 90
"""Operations of a round that is drawn."""
_TITLES = {"verilog": "Verilog", "vhdl": "VHDL"}
_PINS = {
    "clock": "rising edge",
    "reset": "synchronous, of the control registers",
    "load_key": "a key is at `key`",
    "load_data": "a block is at `data_in`",
    "decrypt": "direction of the block: 1 decrypts",
    "inverse": "direction of the block: 1 undoes the permutation",
    "key": "the key",
    "data_in": "the block",
    "tweak": "the tweak of the block",
    "take": "the consumer takes the result",
    "data_out": "the result",
    "valid": "`data_out` holds a result",
    "ready": "a key or a block may be loaded",
}


def files(
    device: Device, languages: Sequence[str], command: str, every: int = 1
) -> list[tuple[str, str | bytes]]:
    """Return the files (name, content) of a device; `every` thins the vectors."""
    tests = vectors(device, every)
    found: list[tuple[str, str | bytes]] = []
    written: list[tuple[str, str]] = []
    designs: dict[str, list[str]] = {}
    for language in languages:
        design = device.design.files(language)
        designs[language] = [name for name, _ in design]
        found += design
        found.append(benches.bench(device, tests, language))
        names = [*designs[language], found[-1][0]]
        written.append((language, f"{device.name}_{language}.f"))
        found.append((written[-1][1], "\n".join(names) + "\n"))
    found += [benches.vector_file(device, tests), benches.vector_titles(device, tests)]
    found.append((f"{device.name}.sdc", constraints.of_device(device)))
    buses = wrappers(device) if "verilog" in languages else []
    if buses:
        found += [*buses, cocotb_test(device, tests), *proof.emitted(device)]
    found.append(fusesoc.core(device, designs, [name for name, _ in buses]))
    if draws_waveforms():
        found.append((f"{device.name}_timing.svg", waveform.draw(device)))
    drawn = pictures(device)
    found += [(name, text) for _, name, text in drawn]
    shown = [(title, name) for title, name, _ in drawn]
    found.append((f"{device.name}.ipynb", notebook(device, shown, command)))
    found.append(("README.md", readme(device, written, len(tests), command, shown)))
    return found


def draws_waveforms() -> bool:
    """Return whether the picture of the pins over time can be drawn."""
    return bool(tools.find("matplotlib").place)


def pictures(device: Device) -> list[tuple[str, str, str]]:
    """Return title, file name and text (SVG) of a device's blocks and of the rounds of its functions.

    Rounds are those of the cipher as its strategy leaves it, for the smallest key; what is too large to be
    read is left out.
    """
    blocks = _plain(top_level(device))
    found = [("Blocks, with the bits that run between them", f"{device.name}_blocks.svg", blocks)]
    (bits, program), *_ = device.programs.items()
    directions = {*device.schedules, *map(device.operation, device.directions)}
    numbers: dict[str, int] = {}
    for body in bodies(program.mirror()):
        if body.function not in directions or not _LEAST <= len(body.operations) <= _MOST:
            continue
        number = numbers[body.function] = numbers.get(body.function, 0) + 1
        where = f"loop {body.loop}: one of {body.iterations} iterations"
        of_key = f"{bits} bits, " if device.keyed else ""
        words = f"{body.function.replace('_', ' ')}, {of_key}{where}"
        title = words + (f", the first of {body.forms} forms" if body.forms > 1 else "")
        name = f"{device.name}_{body.function}_{number}.svg"
        found.append((title, name, _plain(data_flow(body, title=title))))
    return found


def _plain(svg: str) -> str:
    """Return a picture with colours in the place of variables, which not every viewer of files knows."""
    light, _, dark = svg.partition("@media (prefers-color-scheme:dark)")
    end = dark.find("}}") + 2 if dark else 0
    text = light + dark[end:]
    colours = dict(re.findall(r"(--[\w-]+):(#[0-9a-f]{3,8})", text))

    def colour(variable: re.Match[str]) -> str:
        return str(colours.get(variable[1], variable[2] or "black"))

    return re.sub(r"var\((--[\w-]+)(?:,([^)]*))?\)", colour, text)


def readme(
    device: Device,
    written: Sequence[tuple[str, str]],
    count: int,
    command: str,
    shown: Sequence[tuple[str, str]] = (),
) -> str:
    """Return the README of a device; ``shown`` are title and file of its structure pictures."""
    pins = [("clock", "input", 1), ("reset", "input", 1), *device.pins]
    itself = command.split(" --language")[0]
    docs = dict(_PINS)
    if not device.loads_key:
        docs["ready"] = "a block may be loaded"
    if device.architecture == CORE:
        docs |= {"key": "the key of the block", "valid": "`data_out` is the result, in this clock alone"}
    if device.size_width:
        docs["key_size"] = device.size_codes
        docs["key"] += "; a short one in the most significant bits"
    return benches.template(_TEMPLATE).render(
        device=device,
        sizes=", ".join(map(str, device.programs)),
        directions=" and ".join(map(device.noun, device.directions)),
        pins=[(*pin, docs.get(pin[0], "")) for pin in pins],
        io=sum(width for _, _, width in pins) - 2,
        key_size=bool(device.size_width),
        decrypt=len(device.directions) > 1,
        take="take" in device.words,
        partly=_without_setup(device),
        count=count,
        command=command,
        pictures=shown,
        synthesis=speed_grades.synthesized(device),
        waveform=draws_waveforms(),
        locks=assertions.locks(device),
        assertions=assertions.assertions(device),
        seconds=round(proof.SECONDS),
        prove=itself.replace("emit rtl", "verify protocol") + " --files .",
        verilog=any(language == "verilog" for language, _ in written),
        behind=behind_block(device),
        simulate=itself.replace("emit rtl", "simulate") + " --rtl",
        language=written[0][0] if written else "verilog",
        lines=[line for language, _ in written for line in simulation_lines(device.name, language)],
        written=[(_TITLES[language], name) for language, name in written],
    )


def _without_setup(device: Device) -> str:
    """Return the direction for which keys need no setup where the other needs one, else nothing."""
    names = {False: "encryption", True: "decryption"}
    ready = {names[decrypt] for (_, decrypt), clocks in device.clocks.items() if clocks.key_setup == 0}
    waiting = {names[decrypt] for (_, decrypt), clocks in device.clocks.items() if clocks.key_setup}
    free = sorted(ready - waiting)
    return free[0] if free and waiting else ""


def simulation_lines(name: str, language: str) -> list[tuple[str, str]]:
    """Return simulators, each with the line that runs the test bench in the folder of the files."""
    bench = f"{name}_bench"
    if language == "vhdl":
        run = f"ghdl -r --std=08 {bench} --ieee-asserts=disable"
        return [("GHDL", f"ghdl -i --std=08 *.vhd && ghdl -m --std=08 {bench} && {run}")]
    verilator = f"verilator --binary --timing -Wno-fatal --top-module {bench} -o simulation *.v"
    return [
        ("Icarus Verilog", f"iverilog -g2005 -o simulation -s {bench} *.v && vvp -n simulation"),
        ("Verilator", f"{verilator} && ./obj_dir/simulation"),
    ]
