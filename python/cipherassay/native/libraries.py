"""Other libraries, to compare with: one record and one adapter each, found by scanning libraries/.

A record (NAME.toml) says how the library is called, which package holds it, which ciphers its adapter has:

* ``title``: for people. ``path``: which of its paths the adapter makes it take, as rows record it.
* ``ciphers``: by slug ``constant_time``, the ``source`` of that (a file of the library and what is in it, and
  what the adapter adds), of a Rust package also the ``crate``.
* ``package``, ``header``: the Debian package, and a header whose absence means that it is not installed.
* ``compiler``: what compiles that package, which its files do not say; of a Rust package rustc is asked.
* ``source``, ``link``, ``include``: the adapter in C or C++ (assay.h, orders.h) and how it is compiled.
* ``cargo``: instead of these, a folder with a Rust package.
* ``environment``: variables to set before the library is loaded.

A record with ``figure`` holds published cycles of another machine instead (see `PublishedFigures`).
"""

from __future__ import annotations

import ctypes
import hashlib
import os
import shutil
import tempfile
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from cipherassay.cache import cache_folder
from cipherassay.errors import DescriptionError, ToolError
from cipherassay.native.harness import FOLDER as HARNESS
from cipherassay.native.loaded import LoadedCipher
from cipherassay.tools import running
from cipherassay.tools.compiler import Compiler, build_shared_library, find_compiler

FOLDER = Path(__file__).with_name("libraries")
_OPTIMIZE = ("-O2",)


@dataclass(frozen=True)
class Implementation:
    """What a record says of one cipher of its library."""

    constant_time: bool
    """Whether neither a branch nor an address depends on key or block."""
    source: str
    """The file that shows it, and what the adapter adds."""
    crate: str = ""


@dataclass(frozen=True)
class Library:
    """A library's record."""

    name: str
    title: str
    package: str
    ciphers: Mapping[str, Implementation]
    path: str = ""
    header: str = ""
    compiler: str = ""
    source: str = ""
    link: tuple[str, ...] = ()
    include: tuple[str, ...] = ()
    cargo: str = ""
    environment: Mapping[str, str] = field(default_factory=dict)

    def how_to_get(self) -> str:
        """Return the line that installs it."""
        return f"apt-get install {self.package}"


@dataclass(frozen=True)
class Figure:
    """Cycles of one operation, published for another machine."""

    cipher: str
    operation: str
    cycles: float


@dataclass(frozen=True)
class PublishedFigures:
    """Published cycles of another machine, and the kernel measured on both that scales them to this one."""

    name: str
    title: str
    note: str
    figures: tuple[Figure, ...]
    kernel: Mapping[str, Any]


@cache
def records() -> tuple[tuple[Library, ...], tuple[PublishedFigures, ...]]:
    """Read every record: the libraries and the published figures, each in alphabetical order.

    Raises
    ------
    DescriptionError
        ``N040``: a record cannot be read or has wrong fields.
    """
    libraries, figures = [], []
    for path in sorted(FOLDER.glob("*.toml")):
        try:
            data = tomllib.loads(path.read_text(encoding="utf-8"))
            if "figure" in data:
                parts = tuple(Figure(**part) for part in data["figure"])
                title, note = data["title"], data["note"]
                figures.append(PublishedFigures(path.stem, title, note, parts, data["kernel"]))
            else:
                libraries.append(_library(path.stem, data))
        except (tomllib.TOMLDecodeError, TypeError, KeyError, UnicodeDecodeError) as error:
            raise DescriptionError("N040", f"the record {path.name} is wrong: {error}") from None
    return tuple(libraries), tuple(figures)


def _library(name: str, data: Mapping[str, Any]) -> Library:
    fields: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in data.items()}
    fields["ciphers"] = {slug: Implementation(**said) for slug, said in fields["ciphers"].items()}
    return Library(name, **fields)


@dataclass(frozen=True)
class LoadedLibrary:
    """A library's adapter, compiled and loaded."""

    library: Library
    file: Path
    versions: Mapping[str, str]
    """By cipher."""
    compiler: str
    """What compiled the library: kind and, where it is known, version."""

    def cipher(self, slug: str, key_bits: int, output_bytes: int = 0) -> LoadedCipher | None:
        """Return the library's implementation, or None if it lacks the cipher or the key size.

        `output_bytes`: of what it makes of a block, where this has another length (a tweak lies behind it).
        """
        if slug not in self.library.ciphers:
            return None
        for symbol in (f"assay_{slug}", f"assay_{slug}_{key_bits}"):
            try:
                found = LoadedCipher(self.file, symbol, output_bytes)
            except ToolError:
                continue
            return found if found.accepts(key_bits) else None
        return None

    def describe(self, slug: str) -> str:
        """Return name and version of what computes a cipher: ``Crypto++ 8.7.0``."""
        return f"{self.library.title} {self.versions[slug]}"


def load_library(library: Library) -> LoadedLibrary:
    """Compile a library's adapter and load it.

    Raises
    ------
    ToolError
        ``N041``: the library is not installed; ``N043``: nor is cargo; ``N042``: cargo failed; and those
        of the compiler.
    """
    os.environ.update({k: v for k, v in library.environment.items() if k != "RUSTFLAGS"})
    if library.cargo:
        file = _build_by_cargo(library)
        version = " ".join(_rustc_version().split()[:2])
        return LoadedLibrary(library, file, _crate_versions(library), version)
    language = "c++" if library.source.endswith(".cpp") else "c"
    compiler = find_compiler(language)
    if not _has_header(compiler, library):
        raise ToolError(
            "N041",
            f"{library.title} is not installed: there is no <{library.header}>",
            help=library.how_to_get(),
        )
    sources = {
        library.source: (FOLDER / library.source).read_text(encoding="utf-8"),
        "assay.h": (HARNESS / "assay.h").read_text(encoding="utf-8"),
        "orders.h": (FOLDER / "orders.h").read_text(encoding="utf-8"),
    }
    flags = (*_OPTIMIZE, *(f"-I{folder}" for folder in library.include))
    file = build_shared_library(
        f"adapter-{library.name}", sources, compiler=compiler, flags=flags, link=library.link
    )
    version = _version(file)
    return LoadedLibrary(library, file, dict.fromkeys(library.ciphers, version), library.compiler)


def _has_header(compiler: Compiler, library: Library) -> bool:
    command = [*compiler.command, "-x", compiler.language, *(f"-I{f}" for f in library.include), "-E", "-"]
    answer = running.run(command, seconds=running.BUILD, input=f"#include <{library.header}>\n")
    return answer.code == 0


def _version(file: Path) -> str:
    try:
        function = ctypes.CDLL(str(file)).assay_version
    except (OSError, AttributeError) as error:
        raise ToolError("N010", f"`{file.name}` cannot be used", notes=[str(error)]) from None
    function.restype = ctypes.c_char_p
    return str(function().decode())


def _crate_versions(library: Library) -> dict[str, str]:
    manifest = tomllib.loads((FOLDER / library.cargo / "Cargo.toml").read_text(encoding="utf-8"))
    wanted = manifest["dependencies"]
    crates = {slug: one.crate for slug, one in library.ciphers.items()}
    return {slug: f"{crate} {wanted[crate].lstrip('=')}" for slug, crate in crates.items()}


def _rustc_version() -> str:
    return running.run(["rustc", "--version"], seconds=running.ANSWER).out


def _build_by_cargo(library: Library) -> Path:
    cargo = shutil.which("cargo")
    if cargo is None:
        raise ToolError("N043", f"{library.title} needs cargo", help=library.how_to_get())
    package = FOLDER / library.cargo
    files = {str(p.relative_to(package)): p.read_bytes() for p in sorted(package.rglob("*")) if p.is_file()}
    state = hashlib.sha256(repr((_rustc_version(), sorted(library.environment.items()))).encode())
    for name, data in files.items():
        state.update(name.encode() + b"\0" + data)
    target = cache_folder("native") / state.hexdigest()[:32] / f"adapter-{library.name}.so"
    if not target.exists():
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=target.parent) as work:
            os.replace(_run_cargo(cargo, library, Path(work), files), target)
    return target


def _run_cargo(cargo: str, library: Library, work: Path, files: Mapping[str, bytes]) -> Path:
    for name, data in files.items():
        (work / name).parent.mkdir(parents=True, exist_ok=True)
        (work / name).write_bytes(data)
    environment = {**library.environment, "CARGO_TARGET_DIR": str(work / "target")}
    answer = running.run(
        [cargo, "build", "--release", "--locked", "--quiet"],
        seconds=running.FETCH, cwd=work, env=environment, what=f"building {library.title}",
    )  # fmt: skip
    failure = answer.err.splitlines() if answer.code else []
    built = work / "target" / "release" / f"lib{library.cargo}.so"
    if failure or not built.exists():
        raise ToolError(
            "N042",
            f"cargo cannot build {library.title}",
            notes=failure[:12],
            help="it fetches crates: is there a network?",
        )
    return built
