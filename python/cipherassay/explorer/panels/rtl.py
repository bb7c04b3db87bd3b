"""A hardware device as Verilog or VHDL."""

from __future__ import annotations

from collections.abc import Sequence

from cipherassay.explorer import lines
from cipherassay.explorer.panels import Given, Option, Show

TITLE = "RTL"
ORDER = 5
NICE = 5
LANGUAGES = [("verilog", "Verilog"), ("vhdl", "VHDL")]
SHARED = "shared"
OPERATORS = [("own", "of each operation"), (SHARED, SHARED)]
"""Whether operations that exclude each other share operators, as devices do; then their lines are lost."""


def options() -> Sequence[Option]:
    """Return architectures and languages."""
    from cipherassay.hardware.rtl.build import ARCHITECTURES

    return (
        Option("architecture", "Architecture", [(one, one) for one in ARCHITECTURES]),
        Option("language", "Language", LANGUAGES),
        Option("operators", "Operators", OPERATORS),
    )


def make(given: Given, show: Show) -> None:
    """Show all modules in one text, the device first."""
    from cipherassay.hardware.rtl.build import build

    architecture, language, operators = (given.option("rtl", one) for one in options())
    cipher = given.cipher
    key = str(given.key_bits) if cipher.keyed else ""
    device = build(cipher, architecture, key, share=operators == SHARED)
    files = device.design.files(language)
    text = "\n".join(content.rstrip("\n") + "\n" for _, content in reversed(files))
    name = f"{cipher.slug}-{architecture}.{files[0][0].rpartition('.')[2]}"
    forward = device.clocks[min(device.clocks)]
    facts = [
        ("key setup", f"{forward.key_setup} clocks"),
        ("latency", f"{forward.latency} clocks"),
        ("a block every", f"{forward.rate} clocks"),
        ("registers", f"{sum(device.registers.values())} bits"),
        ("modules", str(len(files))),
    ]
    show("text", lines.document(name, language, text, lines.of_comments(text, given.file), facts))
