"""The structure: layers of packages, imports without cycles, and general code that names no cipher and no paper."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path

import pytest

from cipherassay import ciphers, published
from support.places import ROOT, SOURCE

PACKAGE = SOURCE / "cipherassay"
LAYERS = (
    {"errors", "expressions", "limits", "once", "records", "remedies", "scanning", "signals"},
    {"cache", "tools", "dask_client"},
    {"ir", "lang", "ciphers", "published"},
    {"results", "jobs", "keeping"},
    {"circuits", "linear", "strategies", "vectors", "inputs", "review"},
    {"byte_orders", "operation_changes", "precomputation"},
    {"native", "java", "known_answers", "hardware", "processors", "embedded", "x86", "layouts", "families"},
    {"console"},
    {"coverage", "report"},
    {"explorer"},
    {"studies", "cli", "api"},
)
"""The packages and modules of the package from the bottom up: a part imports its own layer and those below."""
OWN = ("ciphers", "published", "studies", "kept", "vectors/listings", "vectors/table_tests")
"""Folders that are of ciphers and papers: descriptions, studies, published and kept data, what submissions hold."""
NICKNAMES = ("hp", "ntt", "nsa", "princeton")
"""What people call papers by: where their authors worked."""
WORDS = ("aria", "gift", "idea", "lea", "led", "present", "seed")
"""Names of ciphers that are words of another meaning besides: of English, of processors, of web pages."""
LEFT = {
    "circuits/metrics.py": "the metrics `cycles_paper`, `width_paper` follow the HP paper's rule and say so",
}
"""The files of general code that name a cipher or a paper all the same, and why."""
LEFT_IN_TESTS = {
    "circuit-search/src/engines/schedule/tests.rs": "a box whose shortest schedules are known",
    "circuit-search/src/linear/fewest.rs": "a matrix whose least number of sums is known",
    "circuit-search/src/linear/words/tests.rs": "the same matrix, whose least programs of words are published",
}
"""The files of crates whose tests name a cipher, and why; only tests may."""


@cache
def modules() -> dict[str, Path]:
    """Return the files of the package's modules by name, without the package's own: ``report.page.writing``."""
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(PACKAGE).with_suffix("").parts
        found[".".join(parts[:-1] if path.stem == "__init__" else parts)] = path
    return found


@cache
def imports() -> dict[str, set[str]]:
    """Return the modules that each module imports by name, also within functions and for types alone."""
    known = modules()
    found: dict[str, set[str]] = {}
    for name, path in known.items():
        found[name] = {one for one in _imported(path, name) if one in known} - {name}
    return found


def _imported(path: Path, name: str) -> Iterator[str]:
    inner = name.split(".") if path.stem == "__init__" else name.split(".")[:-1]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names = [(alias.name, alias.name) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            above = ["cipherassay", *inner[: len(inner) - node.level + 1]] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            names = [(f"{base}.{alias.name}", base) for alias in node.names]
        else:
            continue
        for whole, base in names:
            for one in (whole, base):
                inside = one.removeprefix("cipherassay").removeprefix(".")
                if one.startswith("cipherassay") and inside in modules():
                    yield inside
                    break


def graph(within: str) -> dict[str, set[str]]:
    """Return which parts of a package import which others; a part is a module or a package in its folder."""
    depth = len(within.split(".")) + 1 if within else 1
    found: dict[str, set[str]] = defaultdict(set)
    for name, others in imports().items():
        for other in others:
            parts = [".".join(one.split(".")[:depth]) for one in (name, other)]
            inside = all(not within or part.startswith(f"{within}.") for part in parts)
            if inside and parts[0] != parts[1] and all(parts):
                found[parts[0]].add(parts[1])
    return found


def circle(arrows: Mapping[str, Iterable[str]]) -> list[str]:
    """Return the names along one circle of a graph; none if it has none."""
    done: set[str] = set()

    def walk(name: str, path: list[str]) -> list[str]:
        if name in path:
            return path[path.index(name) :]
        if name in done:
            return []
        for other in sorted(arrows.get(name, ())):
            if found := walk(other, [*path, name]):
                return found
        done.add(name)
        return []

    return next((found for name in sorted(arrows) if (found := walk(name, []))), [])


def test_a_circle_is_found() -> None:
    assert circle({"a": {"b"}, "b": {"c", "d"}, "d": {"b"}}) == ["b", "d"]
    assert circle({"a": {"b", "c"}, "b": {"c"}}) == []


def test_every_part_has_a_layer() -> None:
    parts = {name.split(".")[0] for name in modules()} - {""}
    assert sorted(parts) == sorted(part for layer in LAYERS for part in layer)


def test_imports_go_down() -> None:
    layer = {part: n for n, parts in enumerate(LAYERS) for part in parts}
    up = [
        f"{name} imports {other}"
        for name, others in imports().items()
        for other in others
        if name and other and layer[other.split(".")[0]] > layer[name.split(".")[0]]
    ]
    assert up == []


def packages() -> list[str]:
    """Return the parts that are packages; empty: the whole package, whose parts they are."""
    return sorted({name.split(".")[0] for name, path in modules().items() if path.stem == "__init__"})


@pytest.mark.parametrize("package", packages())
def test_parts_have_no_circle_of_imports(package: str) -> None:
    assert circle(graph(package)) == []


def test_nothing_imports_a_study_by_name() -> None:
    found = [
        f"{name} imports {other}"
        for name, others in imports().items()
        for other in others
        if other.startswith("studies.") and name.split(".")[:2] != other.split(".")[:2]
    ]
    assert found == []


def test_verbs_do_not_call_the_engine() -> None:
    verbs = {name: path for name, path in modules().items() if name.startswith(("cli", "console"))}
    found = {name for name, path in verbs.items() if _calls_engine(ast.parse(path.read_text(encoding="utf-8")))}
    assert found == {"cli"}, "which says where the engine panicked"


def _calls_engine(tree: ast.AST) -> bool:
    """Whether a module imports the engine when it runs, not for types alone."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            continue
        if isinstance(node, ast.ImportFrom):
            names = {node.module or "", *(f"{node.module}.{alias.name}" for alias in node.names)}
            if "cipherassay._engine" in names:
                return True
        elif _calls_engine(node):
            return True
    return False


@cache
def named() -> re.Pattern[str]:
    """Return what finds the names of the project's ciphers and of papers, as words or as parts of identifiers."""
    papers = {one.id.split("-")[0] for one in published.load() if one.citation.year}
    authors = {re.sub(r"\d+$", "", one) for one in papers}
    words = {*ciphers.names(), *papers, *authors, *NICKNAMES} - {"sbox", "circuits", *WORDS}
    return re.compile(rf"(?<![a-z0-9%])({'|'.join(sorted(words))})(?![a-z0-9])", re.IGNORECASE)


@cache
def told() -> re.Pattern[str]:
    """Return what finds the same names in prose, but for papers' authors: with a year they are a source."""
    words = {*ciphers.names(), *NICKNAMES} - {*WORDS}
    return re.compile(rf"(?<![a-z0-9%])({'|'.join(sorted(words))})(?![a-z0-9])", re.IGNORECASE)


def test_names_are_found() -> None:
    assert [named().findall(text) for text in ("Serpent's", "of_rc6", "e2", "worley2000", "HP")] == [
        ["Serpent"], ["rc6"], ["e2"], ["worley2000"], ["HP"],
    ]  # fmt: skip
    assert not named().search("serpentine, e256, mode2, php, %e2")


def _words(path: Path) -> Iterator[tuple[int, str]]:
    """Yield what a module's code says: its identifiers and texts, without comments and docstrings."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    told = set()
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        for one in body if isinstance(body, list) else []:
            if isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant):
                told.add(id(one.value))
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in told:
            yield node.lineno, node.value
        for field in ("id", "attr", "name", "arg", "module", "asname"):
            if isinstance(text := getattr(node, field, None), str):
                yield getattr(node, "lineno", 0), text


def test_general_code_names_no_cipher_and_no_paper() -> None:
    found: dict[str, list[str]] = {}
    for path in modules().values():
        place = path.relative_to(PACKAGE).as_posix()
        if not place.startswith(OWN):
            for line, text in _words(path):
                if match := named().search(text):
                    found.setdefault(place, []).append(f"{line}: {match[0]} in {text[:60]!r}")
    assert {place: lines for place, lines in found.items() if place not in LEFT} == {}
    assert sorted(LEFT) == sorted(found), "these name none by now"


def test_comments_and_docstrings_of_general_code_name_no_cipher_and_no_paper() -> None:
    found: dict[str, list[str]] = {}
    for path in modules().values():
        place = path.relative_to(PACKAGE).as_posix()
        if not place.startswith(OWN):
            lines = enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
            if named := [f"{n}: {line.strip()}" for n, line in lines if told().search(line)]:
                found[place] = named
    assert {place: lines for place, lines in found.items() if place not in LEFT} == {}


def sources() -> Iterator[tuple[str, str, str]]:
    """Yield every file of the crates: its place, its text before its tests, and the tests' text."""
    for path in sorted((ROOT / "crates").glob("*/*/**/*.rs")):
        text = path.read_text(encoding="utf-8")
        own = path.stem in ("tests", "samples") or path.stem.endswith("_tests") or "tests" in path.parts
        # Tests stand at the end of a file.
        code, _, tests = ("", "", text) if own else text.partition("#[cfg(test)]\nmod ")
        yield path.relative_to(ROOT / "crates").as_posix(), code, tests


def test_the_engine_names_no_cipher_and_no_paper() -> None:
    comments = re.compile(r"//[^\n]*|/\*.*?\*/", re.S)
    found = []
    for place, code, _ in sources():
        found += [f"{place}: {match[0]}" for match in named().finditer(comments.sub("", code))]
        found += [f"{place}: {match[0]} in a comment" for match in told().finditer(code)]
    assert found == []


def test_tests_of_the_engine_name_few_ciphers() -> None:
    found = [place for place, _, tests in sources() if told().search(tests)]
    assert found == sorted(LEFT_IN_TESTS)


def test_every_file_of_the_engine_s_tests_is_built() -> None:
    """Those of a crate are one program: a file that `main.rs` does not name would be left out silently."""
    for main in sorted((ROOT / "crates").glob("*/tests/main.rs")):
        named = set(re.findall(r"^mod (\w+);$", main.read_text(encoding="utf-8"), re.M))
        there = {path.stem for path in main.parent.glob("*.rs")} - {"main"}
        assert named == there | {path.parent.name for path in main.parent.glob("*/mod.rs")}, main.parent
