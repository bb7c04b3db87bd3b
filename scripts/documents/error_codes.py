"""Every error code of the sources with the messages that it stands for, read from Python and Rust.

Messages are shapes: what is put in when an error is raised is `{}`.
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CODE = re.compile(r"[A-Z]\d{3}")
CRATES = ROOT / "crates"
PACKAGE = ROOT / "python" / "cipherassay"


@dataclass(frozen=True)
class Raised:
    """A place that raises an error: file, the shapes of message and help (empty where none is found)."""

    path: Path
    message: str
    help: str = ""


@cache
def raised() -> dict[str, list[Raised]]:
    """Return the places that raise each code."""
    found: dict[str, list[Raised]] = defaultdict(list)
    for path in sorted(PACKAGE.rglob("*.py")):
        for code, message, help in in_python(path):
            found[code].append(Raised(path.relative_to(ROOT), message, help))
    for path, (text, _) in rust().items():
        for code, message, help in in_rust(text):
            found[code].append(Raised(path.relative_to(ROOT), message, help))
    return found


def in_python(path: Path) -> Iterator[tuple[str, str, str]]:
    """Yield code, message and help of each call in a module that passes a code."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        arguments = node.args if isinstance(node, ast.Call) else []
        for code, message in zip(arguments, [*arguments[1:], ast.Constant("")], strict=False):
            if not isinstance(code, ast.Constant) or not isinstance(node, ast.Call):
                continue
            if CODE.fullmatch(str(code.value)):
                help = next((shape(one.value, tree) for one in node.keywords if one.arg == "help"), "")
                yield str(code.value), shape(message, tree), help


def shape(node: ast.expr, scope: ast.AST | None) -> str:
    """Return a message with `{}` for what is put in; of a name, the text last assigned to it."""
    if isinstance(node, ast.Constant):
        return str(node.value)
    if isinstance(node, ast.JoinedStr):
        return "".join(str(one.value) if isinstance(one, ast.Constant) else "{}" for one in node.values)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "nearest":
        return "what is known, the nearest name first"
    if isinstance(node, ast.Name) and scope is not None:
        given = [
            one for one in ast.walk(scope)
            if isinstance(one, ast.Assign) and one.lineno <= node.lineno
            and any(isinstance(target, ast.Name) and target.id == node.id for target in one.targets)
        ]  # fmt: skip
        if given:
            return shape(max(given, key=lambda one: one.lineno).value, None)
    return "{}"


def in_rust(text: str) -> Iterator[tuple[str, str, str]]:
    """Yield code, message and help of each error in a crate's code."""
    string = r'(?:&?format!\(\s*)?"((?:[^"\\]|\\.)*)"'
    codes = list(re.finditer(r'"([A-Z]\d{3})"\s*,\s*(?:\|\|\s*\{?\s*)?', text))
    ends = [*(one.start() for one in codes[1:]), len(text)][: len(codes)]
    for found, end in zip(codes, ends, strict=True):
        rest = text[found.end() :]
        said = re.match(rf"(?:[\w.]+,\s*)?{string}", rest, re.S)
        name = re.match(r"&?(\w+)", rest)
        if said is None and name is not None:
            known = list(re.finditer(rf"let {name[1]}[^=;]*=\s*{string}", text[: found.start()], re.S))
            said = known[-1] if known else None
        statement = text[found.end() : end].partition(";")[0]
        help = re.search(rf"\.help\(\s*{string}", statement, re.S)
        yield found[1], "{}" if said is None else _words(said[1]), _words(help[1]) if help else ""


def _words(literal: str) -> str:
    return re.sub(r"\{[^{}]*\}", "{}", re.sub(r"\\\n\s*", "", literal))


@cache
def rust() -> dict[Path, tuple[str, str]]:
    """Return the code without comments and the tests of every file of the crates."""
    found = {}
    for path in sorted(CRATES.rglob("*.rs")):
        text = path.read_text(encoding="utf-8")
        end = _own_tests(path.relative_to(ROOT), text)
        found[path] = (re.sub(r"//[^\n]*", "", text[:end]), text[end:])
    return found


def _own_tests(path: Path, text: str) -> int:
    """Return where the tests in a file of a crate begin."""
    if "tests" in path.parts or path.stem in ("tests", "samples") or path.stem.endswith("_tests"):
        return 0
    found = text.find("#[cfg(test)]\nmod ")
    return len(text) if found < 0 else found


def quoted() -> set[str]:
    """Return all codes that stand in the sources, however they come to an error."""
    texts = [text for text, _ in rust().values()]
    texts += [path.read_text(encoding="utf-8") for path in PACKAGE.rglob("*.py")]
    return {code for text in texts for code in re.findall(r'"([A-Z]\d{3})"', text)}
