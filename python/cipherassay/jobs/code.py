"""The code that a result depends on: modules with all that they import, as a digest.

Comments, docstrings, type annotations of names and the places of lines do not count: a module's digest is of
what Python compiles it to. A package that finds its modules by scanning its folder depends on all of them.
Data files that lie beside a module belong to it; data in folders below are inputs of their own.
"""

from __future__ import annotations

import ast
import hashlib
import json
import sys
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import CodeType

from cipherassay.jobs.texts import TextCache

PACKAGE = "cipherassay"
ROOT = Path(__file__).parents[1]
NEUTRAL = (
    "cipherassay.api", "cipherassay.cache", "cipherassay.cli", "cipherassay.console", "cipherassay.errors",
    "cipherassay.explorer", "cipherassay.jobs", "cipherassay.report", "cipherassay.results",
    "cipherassay.scanning", "cipherassay.tools",
)  # fmt: skip
"""Modules on which no value depends: they say, order, keep and show. The store covers the form of rows."""


@dataclass(frozen=True)
class Source:
    """A module's digest, and the names that it imports."""

    digest: str
    imports: frozenset[str]
    scans: bool
    """Whether it is a package that imports modules by names that it finds."""


def digest(modules: tuple[str, ...], without: tuple[str, ...] = (), records: tuple[str, ...] = ()) -> str:
    """Return the digest of modules, of all that they import within the package, and of the data beside them.

    Parameters
    ----------
    modules : tuple of str
        Full names: ``cipherassay.embedded.target``.
    without : tuple of str
        Modules and packages that do not count, with all below them: what they do is known by its outcome,
        which is among the inputs. A name in `modules` counts nevertheless.
    records : tuple of str
        Packages whose data files do not count: those that are used are among the inputs.
    """
    with _digesting:
        return _digest(modules, without, records)


@cache
def _digest(modules: tuple[str, ...], without: tuple[str, ...], records: tuple[str, ...]) -> str:
    found = hashlib.sha256(f"python {sys.version_info.major}.{sys.version_info.minor}\n".encode())
    for name in closure(modules, without):
        found.update(f"{name} {source(_path(name)).digest}\n".encode())
        for path in () if name in records else _data_beside(name):
            found.update(f"{name} {path.name} {hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode())
    return found.hexdigest()


def closure(modules: Sequence[str], without: Sequence[str] = ()) -> list[str]:
    """Return the full names of modules and of all that they import, sorted; see `digest`."""
    return _closed(modules, (*NEUTRAL, *without))


def everything_of(modules: Sequence[str]) -> tuple[str, ...]:
    """Return the full names of modules and of all of the package that they import, sorted."""
    return tuple(_closed(modules, ()))


def files_of(name: str) -> list[Path]:
    """Return a module's file and, of a package, the data files in its folder."""
    return [_path(name), *_data_beside(name)]


def _closed(modules: Sequence[str], left_out: Sequence[str]) -> list[str]:
    found: set[str] = set()
    todo = list(modules)
    while todo:
        name = todo.pop()
        if name in found or (name not in modules and _below(name, left_out)):
            continue
        found.add(name)
        one = source(_path(name))
        todo += [known for text in one.imports if (known := module_of(text))]
        todo += [parent] if (parent := name.rpartition(".")[0]) else []
        if one.scans:
            todo += _scanned(name)
    return sorted(found)


def _below(name: str, packages: Sequence[str]) -> bool:
    return any(name == one or name.startswith(f"{one}.") for one in packages)


def _path(name: str) -> Path:
    base = ROOT.joinpath(*name.split(".")[1:])
    package = base / "__init__.py"
    return package if package.is_file() else base.with_suffix(".py")


@cache
def module_of(name: str) -> str:
    """Return the module that an imported name is or lies in, empty if it is not the package's."""
    while name.startswith(PACKAGE):
        if _path(name).is_file():
            return name
        name = name.rpartition(".")[0]
    return ""


def _scanned(name: str) -> Iterator[str]:
    folder = _path(name).parent
    for path in folder.iterdir():
        if path.suffix == ".py" and path.stem != "__init__":
            yield f"{name}.{path.stem}"
        elif (path / "__init__.py").is_file():
            yield f"{name}.{path.name}"


def _data_beside(name: str) -> list[Path]:
    """Return the data files in the folder of a package; a plain module has its package in the closure."""
    path = _path(name)
    if path.name != "__init__.py":
        return []
    return sorted(
        one for one in path.parent.iterdir()
        if one.is_file() and one.suffix not in (".py", ".pyi", ".so", ".md", ".typed")
    )  # fmt: skip


_digesting = threading.RLock()
"""Threads that ask for one digest at once wait for the first. Besides, CPython 3.11 counts the depth of
syntax trees once for all threads, so that two that parse at once fail."""


def source(path: Path) -> Source:
    """Return what a module's text compiles to, as a digest, and what it imports."""
    return _source(path, path.stat().st_mtime_ns)


@cache
def _source(path: Path, _changed: int) -> Source:
    text = path.read_text(encoding="utf-8")
    place = str(path.relative_to(ROOT)) if path.is_relative_to(ROOT) else str(path)
    name = json.dumps(["module", _own_digest(), sys.version, place, text])
    found = json.loads(TextCache("modules").made(name, lambda: json.dumps(_parsed(path, text))))
    return Source(found["digest"], frozenset(found["imports"]), found["scans"])


@cache
def _own_digest() -> str:
    """Return the digest of this module's text: what it reads from a module depends on it."""
    return hashlib.sha256(Path(__file__).read_bytes()).hexdigest()


def _parsed(path: Path, text: str) -> dict[str, str | bool | list[str]]:
    with _digesting:
        tree = ast.parse(text)
        # Optimized compilation leaves out docstrings; assertions change no value.
        code = compile(tree, path.name, "exec", optimize=2, dont_inherit=True)
    return {
        "digest": hashlib.sha256(_compiled(code).encode()).hexdigest(),
        "imports": sorted(set(_imports(tree, path))),
        "scans": path.name == "__init__.py" and "import_module(" in text,
    }


def _compiled(code: CodeType) -> str:
    """Return everything of compiled code that matters, as text: no lines, no files."""
    constants = [_compiled(c) if isinstance(c, CodeType) else _constant(c) for c in code.co_consts]
    names = (code.co_name, code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)
    counts = (code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags)
    return repr((names, counts, code.co_code.hex(), code.co_exceptiontable.hex(), constants))


def _constant(value: object) -> str:
    return f"frozenset {sorted(map(repr, value))}" if isinstance(value, frozenset) else repr(value)


def _imports(tree: ast.AST, path: Path) -> Iterator[str]:
    """Yield the full names that are imported when the module runs, also within functions."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = _base(node, path)
            yield base
            yield from (f"{base}.{alias.name}" for alias in node.names)
        else:
            yield from _imports(node, path)


def _base(node: ast.ImportFrom, path: Path) -> str:
    if not node.level:
        return node.module or ""
    folder = path.parents[node.level - 1]
    below = [PACKAGE, *folder.relative_to(ROOT).parts] if folder.is_relative_to(ROOT) else []
    return ".".join([*below, *([node.module] if node.module else [])])
