"""Which designs `assay synthesize` works on: Verilog files of one design, or devices of ciphers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from cipherassay.console.design_files import design_files
from cipherassay.errors import UsageError

if TYPE_CHECKING:
    from cipherassay.hardware.rtl.build import Device
    from cipherassay.lang.cipher import Cipher

ALL = "all"


@dataclass(frozen=True)
class VerilogDesign:
    """A design as Verilog: its texts, its top module, its device (None: files), its words in a command."""

    files: dict[str, str]
    top: str
    device: Device | None
    words: tuple[str, ...]

    @property
    def title(self) -> str:
        """What it is, for people."""
        return self.top or "files"

    def built(self) -> Iterator[VerilogDesign]:
        """Yield it."""
        yield self


@dataclass(frozen=True)
class Work:
    """A device of a cipher, to be made by strategies."""

    cipher: str
    architecture: str
    key: str
    direction: str
    strategies: tuple[str, ...]
    variant: str

    @property
    def title(self) -> str:
        """What it is, for people."""
        return f"{Path(self.cipher).stem} {self.architecture} {self.key}".rstrip()

    @property
    def words(self) -> tuple[str, ...]:
        """The words that name it in a command."""
        words = [self.cipher, "--architecture", self.architecture]
        words += ["--key-bits", self.key] if self.key else []
        words += ["--direction", self.direction]
        words += [word for name in self.strategies for word in ("--strategy", name)]
        return (*words, *(["--variant", self.variant] if self.variant else []))

    def built(self) -> Iterator[VerilogDesign]:
        """Yield its design by each of its strategies."""
        from cipherassay.ciphers import load
        from cipherassay.console.device import device_of
        from cipherassay.hardware.synthesis.exploring import wanted

        for name in wanted(self.strategies, load(self.cipher), self.architecture):
            device = device_of(self.cipher, self.architecture, self.key, self.direction, name, self.variant)
            one = replace(self, strategies=(name,))
            yield VerilogDesign(dict(device.design.files("verilog")), device.name, device, one.words)


@dataclass(frozen=True)
class Options:
    """The options that name devices."""

    architectures: Sequence[str]
    keys: Sequence[str]
    direction: str
    strategies: Sequence[str]
    variant: str


def works(arguments: Sequence[str], every: bool, top: str, options: Options) -> list[VerilogDesign | Work]:
    """Return what to synthesize.

    Raises
    ------
    UsageError
        ``H803``: nothing is named; ``H809``: files and ciphers together; ``H801``: a file is not there;
        ``H304``,
        ``H306``: an option's word is not known.
    """
    from cipherassay.ciphers import of_papers

    ciphers = of_papers() if every else [one for one in arguments if not _is_file(one)]
    files = [one for one in arguments if _is_file(one)]
    if not ciphers and not files:
        raise UsageError("H803", "nothing to synthesize", help="name Verilog files or ciphers, or give --all")
    if ciphers and files:
        raise UsageError("H809", f"`{files[0]}` is a file and `{ciphers[0]}` is none", help="name either")
    if files:
        words = (*files, "--top", top) if top else tuple(files)
        return [VerilogDesign(design_files(files), top, None, words)]
    return _of_ciphers(ciphers, options)


def _is_file(name: str) -> bool:
    """Return whether an argument is meant as a Verilog file: by its ending, there or not."""
    return Path(name).suffix in (".v", ".sv")


def _of_ciphers(ciphers: Sequence[str], options: Options) -> list[VerilogDesign | Work]:
    from cipherassay.hardware.rtl import build
    from cipherassay.hardware.synthesis import exploring
    from cipherassay.review import load_right

    architectures = _each("architecture", options.architectures, build.ARCHITECTURES, build.WITH_INTERFACE)
    described = {cipher: load_right(cipher) for cipher in ciphers}
    for one in described.values():
        build.choice("direction", options.direction, build.directions(one))
    for name in options.strategies:
        first = build.LITERAL + name.removeprefix(exploring.BEST) if exploring.is_best(name) else name
        build.strategy(first)
    versions = {name: _key_versions(one, options.keys) for name, one in described.items()}
    return [
        Work(cipher, architecture, key, options.direction, tuple(options.strategies), options.variant)
        for cipher in ciphers
        for architecture in architectures
        for key in versions[cipher]
    ]


def _key_versions(cipher: Cipher, words: Sequence[str]) -> list[str]:
    from cipherassay.hardware.rtl import build

    every = (word for one in words for word in (build.key_versions(cipher) if one == ALL else [one]))
    return list(dict.fromkeys(build.key_version(cipher, word)[0] for word in every))


def _each(what: str, words: Sequence[str], known: tuple[str, ...], every: tuple[str, ...]) -> list[str]:
    from cipherassay.hardware.rtl import build

    found = [one for word in words for one in (every if word == ALL else [build.choice(what, word, known)])]
    return list(dict.fromkeys(found))
