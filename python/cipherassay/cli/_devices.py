"""Which devices `assay synthesize` works on: Verilog files of one design, or ciphers built by options."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from cipherassay.cli._design_files import design_files
from cipherassay.errors import UsageError

if TYPE_CHECKING:
    from cipherassay.hardware.build import Device


@dataclass(frozen=True)
class Work:
    """A design to synthesize: its Verilog, its top, the device that it is of (None: files), its command."""

    files: dict[str, str]
    top: str
    device: Device | None
    words: tuple[str, ...]


@dataclass(frozen=True)
class Options:
    """The options that name devices."""

    architecture: str
    key: str
    direction: str
    strategy: str
    variant: str


def works(arguments: Sequence[str], every: bool, top: str, options: Options) -> Iterator[Work]:
    """Yield what to synthesize.

    Raises
    ------
    UsageError
        ``H803``: nothing is named, or files and ciphers together; ``H801``: a file is not there.
    """
    from cipherassay.ciphers import names

    ciphers = names() if every else [one for one in arguments if not _is_file(one)]
    files = [one for one in arguments if _is_file(one)]
    if not ciphers and not files:
        raise UsageError("H803", "nothing to synthesize", help="name Verilog files or ciphers, or give --all")
    if ciphers and files:
        raise UsageError("H803", f"`{files[0]}` is a file and `{ciphers[0]}` is none", help="name either")
    if files:
        words = (*files, "--top", top) if top else tuple(files)
        yield Work(design_files(files), top, None, words)
    for cipher in ciphers:
        yield _of_cipher(cipher, options)


def _is_file(name: str) -> bool:
    """Return whether an argument is meant as a Verilog file: by its ending, there or not."""
    return Path(name).suffix in (".v", ".sv")


def _of_cipher(cipher: str, options: Options) -> Work:
    from cipherassay.cli._device import device_of

    device = device_of(
        cipher, options.architecture, options.key, options.direction, options.strategy, options.variant
    )
    words = [cipher, "--architecture", device.architecture, "--key", device.key]
    words += ["--direction", device.direction, "--strategy", device.strategy.name]
    words += ["--variant", options.variant] if options.variant else []
    return Work(dict(device.design.files("verilog")), device.name, device, tuple(words))
