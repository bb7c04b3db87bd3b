"""What the verbs about devices share: the options that name one, and its building."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from cipherassay.hardware.rtl.build import Device

CipherName = Annotated[
    str, typer.Argument(metavar="CIPHER", help="A cipher's name, or a cipher file.", show_default=False)
]
Architecture = Annotated[str, typer.Option("--architecture", help="iterative, pipelined or core.")]
Key = Annotated[
    str,
    typer.Option(
        "--key-bits", help="A key size, several as 128+256, or 3in1: all three; default: the first size."
    ),
]
Direction = Annotated[str, typer.Option("--direction", help="encrypt, decrypt or both; permute or inverse.")]
Strategy = Annotated[str, typer.Option("--strategy", help="How the program becomes cycles.")]
Storage = Annotated[
    str, typer.Option("--storage", help="Round keys in flops or latches; default: as the strategy says.")
]
Glitches = Annotated[
    bool, typer.Option("--glitches", help="The same with delays: what changes before signals settle counts.")
]
Variant = Annotated[str, typer.Option("--variant", help="A variant of the cipher.")]
Every = Annotated[
    int,
    typer.Option("--every", min=1, help="Of the Variable Key and Text tests, each n-th bit only."),
]


def device_of(
    cipher: str, architecture: str, key: str, direction: str, strategy: str, variant: str, storage: str = ""
) -> Device:
    """Build the device that the options name."""
    from cipherassay.hardware.rtl.build import build, stored_in
    from cipherassay.review import load_right

    return build(load_right(cipher), architecture, key, direction, stored_in(strategy, storage), variant)


def command_of(verb: str, cipher: str, device: Device, variant: str) -> str:
    """Return the command that makes the device again, without what says where to write."""
    words = ["assay", verb, shlex.quote(cipher), "--architecture", device.architecture]
    words += ["--key-bits", device.key] if device.key else []
    words += ["--direction", device.direction, "--strategy", device.strategy.name]
    return " ".join(words + (["--variant", variant] if variant else []))
