"""The C and C++ compilers: found, named, and run; what they built is kept by its content."""

from __future__ import annotations

import hashlib
import os
import shlex
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from cipherassay.cache import cache_folder
from cipherassay.errors import ToolError
from cipherassay.tools import running

Language = str
"""``c`` or ``c++``."""

_COMMANDS = {"c": ("CC", ("gcc", "clang", "cc")), "c++": ("CXX", ("g++", "clang++", "c++"))}
_PACKAGES = {"c": "gcc libc6-dev", "c++": "g++"}
_STANDARD = {"c": "-std=c11", "c++": "-std=c++17"}
_SHOWN_LINES = 12

SCALAR_FLAGS = {
    "gcc": ("-O2", "-fno-tree-vectorize"),
    "clang": ("-O2", "-fno-vectorize", "-fno-slp-vectorize"),
}
"""Scalar code: gcc and clang would else pack neighbouring words into vector registers."""


@dataclass(frozen=True)
class Compiler:
    """A compiler: its command (with arguments that every call takes), kind and version line."""

    language: Language
    command: tuple[str, ...]
    kind: str
    """``gcc`` or ``clang``."""
    version: str

    @property
    def scalar_flags(self) -> tuple[str, ...]:
        """Flags of the measurements: optimized, without vector instructions of the compiler's own making."""
        return SCALAR_FLAGS[self.kind]

    def describe(self, flags: Sequence[str] = ()) -> str:
        """Return a short name with the flags: ``gcc 12.2.0 -O2``."""
        return " ".join([self.kind, _number(self.version), *flags])


def find_compiler(language: Language = "c", command: str = "") -> Compiler:
    """Find the compiler of a language: `command`, else what CC (CXX) names, else gcc or clang.

    Raises
    ------
    ToolError
        ``N002``: there is none; ``N003``, ``T003``, ``T004``: it cannot be run.
    """
    variable, known = _COMMANDS[language]
    named = command or os.environ.get(variable, "")
    words = shlex.split(named) if named.strip() else next(([c] for c in known if shutil.which(c)), [])
    if words and shutil.which(words[0]):
        return _identify(language, tuple(words))
    title = "C++" if language == "c++" else "C"
    message = f"there is no {title} compiler"
    if words:
        origin = "" if command else f"{variable} names "
        message = f"there is no {title} compiler: {origin}`{words[0]}`, which is not on the PATH"
    raise ToolError(
        "N002",
        message,
        notes=["it compiles the generated code, to be measured and checked"],
        help=f"apt-get install {_PACKAGES[language]}, or name another in {variable}",
    )


def find_compilers(language: Language = "c") -> list[Compiler]:
    """Return a compiler of each kind that is here, gcc and clang, first the one that `find_compiler` finds.

    Raises
    ------
    ToolError
        As `find_compiler`, of the first one; one of the other kind that cannot be run is left out.
    """
    found = [find_compiler(language)]
    for command in _COMMANDS[language][1]:
        try:
            other = find_compiler(language, command)
        except ToolError:
            continue
        if other.kind not in [one.kind for one in found]:
            found.append(other)
    return found


@cache
def _identify(language: Language, command: tuple[str, ...]) -> Compiler:
    answer = running.run([*command, "--version"], seconds=running.ANSWER)
    lines = [line for line in answer.out.splitlines() if line.strip()]
    if answer.code or not lines:
        how = f"failed with exit code {answer.code}" if answer.code else "prints nothing"
        raise ToolError("N003", f"`{' '.join(command)} --version` {how}", notes=_last_lines(answer.err))
    kind = "clang" if "clang" in lines[0].lower() else "gcc"
    return Compiler(language, command, kind, lines[0].strip())


def _number(version: str) -> str:
    """Return the version's number: the last word that begins with a digit, Debian's addition cut off."""
    words = [word.strip("()") for word in version.split()]
    numbers = [word for word in words if word[:1].isdigit() and "." in word]
    return numbers[-1].split("-")[0] if numbers else version


def build_shared_library(
    name: str,
    sources: Mapping[str, str],
    *,
    compiler: Compiler | None = None,
    flags: Sequence[str] | None = None,
    include: Sequence[Path] = (),
    link: Sequence[str] = (),
) -> Path:
    """Compile sources into a shared library, or find the one that was made of the same before.

    Parameters
    ----------
    name : str
        What the library is of; its file's name.
    sources : mapping
        File names and texts; the ``.c`` (``.cpp``) files are compiled, the others are there to be included.
    flags : sequence of str, optional
        Optimization; by default the scalar flags of the compiler.
    include : sequence of Path
        Folders to search for headers; their own headers count as content.
    link : sequence of str
        Arguments at the end: libraries.

    Raises
    ------
    ToolError
        ``N002``, ``N003``: no compiler; ``N004``: it fails, with its own words; ``N005``: it writes
        nothing; ``N001``: no folder.
    """
    compiler = compiler or find_compiler("c")
    flags = compiler.scalar_flags if flags is None else tuple(flags)
    arguments = (*compiler.command, _STANDARD[compiler.language], *flags, "-fPIC", "-shared")
    headers = {path.name: path.read_text() for folder in include for path in sorted(folder.glob("*.h"))}
    key = _digest([compiler.version, *arguments, *link], {**headers, **sources})
    folder = cache_folder("native") / key
    target = folder / f"{name}.so"
    if not target.exists():
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder) as work:
            _compile(name, Path(work), sources, [*arguments, *(f"-I{path}" for path in include)], link)
            os.replace(Path(work) / target.name, target)
    return target


def _compile(
    name: str, work: Path, sources: Mapping[str, str], arguments: Sequence[str], link: Sequence[str]
) -> None:
    for file, text in sources.items():
        (work / file).write_text(text)
    units = [file for file in sorted(sources) if file.endswith((".c", ".cpp"))]
    command = [*arguments, *units, "-o", f"{name}.so", *link]
    answer = running.run(command, seconds=running.BUILD, cwd=work, what=f"compiling {name}")
    if answer.code:
        raise ToolError(
            "N004",
            f"the compiler failed on {name} with exit code {answer.code}",
            notes=[f"command: {shlex.join(command)}", *_first_lines(answer.err)],
        )
    if not (work / command[command.index("-o") + 1]).exists():
        raise ToolError("N005", f"the compiler wrote no library for {name}", notes=_first_lines(answer.err))


def _digest(words: Sequence[str], files: Mapping[str, str]) -> str:
    state = hashlib.sha256()
    for text in (*words, *(part for item in sorted(files.items()) for part in item)):
        data = text.encode()
        state.update(f"{len(data)}:".encode() + data)
    return state.hexdigest()[:32]


def _first_lines(text: str) -> list[str]:
    lines = [line for line in text.splitlines() if line.strip()]
    rest = len(lines) - _SHOWN_LINES
    return lines[:_SHOWN_LINES] + ([f"({rest} more lines)"] if rest > 0 else [])


def _last_lines(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.strip()][-_SHOWN_LINES:]
