"""Print the test files that a change may affect: those that import what changed, directly or not.

Usage: python scripts/affected.py [BASE]

What changed is what git sees against BASE (default: HEAD), with new files. A test file is affected if it,
the conftest of its folder, a helper of `tests/support`, or a module of the package that one of them imports
has changed, or a data file in the folder of such a module. Verbs, sections of the report and studies are
found by scanning: what scans depends on all of them.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "python" / "cipherassay"
TESTS = ROOT / "tests"


def main(arguments: list[str]) -> None:
    """Print the affected test files, sorted; all of them if the engine or the project's files changed."""
    changed = set(_changed(arguments[0] if arguments else "HEAD"))
    files = sorted(TESTS.rglob("test_*.py"))
    whole = {ROOT / "pyproject.toml", TESTS / "conftest.py"}
    if changed & whole or any((ROOT / "crates") in path.parents for path in changed):
        found = files
    else:
        found = [path for path in files if _depends(path) & changed]
    sys.stdout.write("".join(f"{path.relative_to(ROOT)}\n" for path in found))


def _changed(base: str) -> Iterator[Path]:
    for command in (["diff", "--name-only", base], ["ls-files", "--others", "--exclude-standard"]):
        printed = subprocess.check_output(["git", *command], cwd=ROOT, text=True, timeout=60)
        yield from (ROOT / line for line in printed.splitlines())


def _depends(test: Path) -> set[Path]:
    """Return the files that a test file depends on, itself among them."""
    from cipherassay.jobs import code

    shared = (folder / "conftest.py" for folder in test.parents if TESTS in folder.parents)
    found, todo = set(), [test, *(path for path in shared if path.is_file())]
    modules: set[str] = set()
    while todo:
        path = todo.pop()
        if path in found:
            continue
        found.add(path)
        for name in _imports(path):
            helper = TESTS.joinpath(*name.split(".")).with_suffix(".py")
            if name.startswith("cipherassay"):
                modules.add(name)
            elif helper.is_file():
                todo.append(helper)
    if TESTS / "support" / "command.py" in found:
        modules.add("cipherassay.cli")
    known = tuple(sorted(name for name in map(code.module_of, modules) if name))
    whole = code.everything_of(known)
    if any(map(_scans, whole)):
        whole = code.everything_of((*known, *_scanned()))
    return found.union(*(code.files_of(name) for name in whole))


@cache
def _scans(name: str) -> bool:
    """Whether a module imports what scanning finds."""
    return bool(re.search(r"scanning\.(?:brought|modules|of_parts|of_studies)\(", code_of(name)))


def code_of(name: str) -> str:
    """Return the text of a module of the package."""
    from cipherassay.jobs import code

    return code.files_of(name)[0].read_text(encoding="utf-8")


@cache
def _scanned() -> tuple[str, ...]:
    """Return the modules that scanning finds: of studies and of the report's sections."""
    from cipherassay import scanning

    studies = (path.relative_to(PACKAGE).with_suffix("") for path in scanning.STUDIES.rglob("*.py"))
    names = [".".join(("cipherassay", *path.parts)).removesuffix(".__init__") for path in studies]
    return (*names, *scanning.names("report.sections"))


@cache
def _imports(path: Path) -> tuple[str, ...]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    found: list[str] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            found += [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
    return tuple(found)


if __name__ == "__main__":
    main(sys.argv[1:])
