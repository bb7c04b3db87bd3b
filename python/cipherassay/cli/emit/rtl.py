"""`assay emit rtl`: a device as Verilog and VHDL, with test benches, vectors and a README."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cipherassay.console.device import (
    Architecture,
    CipherName,
    Direction,
    Every,
    Key,
    Storage,
    Strategy,
    Variant,
    command_of,
    device_of,
)
from cipherassay.console.options import writable_folder
from cipherassay.console.output import Json, write_files
from cipherassay.console.progress import say


def emit_rtl(
    cipher: CipherName,
    architecture: Architecture = "iterative",
    key: Key = "",
    direction: Direction = "both",
    language: Annotated[str, typer.Option("--language", help="verilog, vhdl or both.")] = "both",
    folder: Annotated[
        Path, typer.Option("-o", "--output", callback=writable_folder, metavar="DIR", help="Where to write.")
    ] = Path(),
    strategy: Strategy = "rounds",
    storage: Storage = "",
    variant: Variant = "",
    every: Every = 1,
    json: Json = False,
) -> None:
    """Write a device as Verilog and VHDL, with test benches.

    A module per file, self-checking test benches, vectors, README.md, the pins in time.
    """
    from cipherassay import tools
    from cipherassay.hardware.emission import emitting
    from cipherassay.hardware.rtl.build import choice

    languages = emitting.LANGUAGES[choice("language", language, tuple(emitting.LANGUAGES))]
    device = device_of(cipher, architecture, key, direction, strategy, variant, storage)
    command = command_of("emit rtl", cipher, device, variant) + f" --language {language}"
    if every != 1:
        command += f" --every {every}"
    files = emitting.files(device, languages, command, every)
    write_files(folder, files, {"design": device.name, "command": command}, json=json)
    if not emitting.draws_waveforms():
        say(f"the picture of the pins over time is left out: {tools.tools()['matplotlib'].how_to_get()}")
