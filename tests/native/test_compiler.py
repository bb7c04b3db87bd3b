"""Compiling: what is found, what is kept, and what a missing or failing compiler says."""

from __future__ import annotations

import ctypes
from pathlib import Path

import pytest

from cipherassay.errors import ToolError
from cipherassay.tools import compiler as compiling
from cipherassay.tools.compiler import build_shared_library, find_compiler, find_compilers

SOURCES = {
    "seven.c": '#include "seven.h"\nint seven(void)\n{\n    return SEVEN;\n}\n',
    "seven.h": "#define SEVEN 7\n",
}


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CIPHERASSAY_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("CC", raising=False)
    compiling._identify.cache_clear()
    return tmp_path / "cache"


@pytest.fixture
def counting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A compiler that notes each of its calls in a file."""
    real = find_compiler("c").command[0]
    script, log = tmp_path / "gcc-counting", tmp_path / "calls"
    script.write_text(f'#!/bin/sh\necho "$@" >> {log}\nexec {real} "$@"\n')
    script.chmod(0o755)
    monkeypatch.setenv("CC", str(script))
    return log


def calls(log: Path) -> int:
    return sum("-shared" in line for line in log.read_text().splitlines())


def test_builds_and_keeps(counting: Path) -> None:
    first = build_shared_library("seven", SOURCES)
    assert ctypes.CDLL(str(first)).seven() == 7
    assert build_shared_library("seven", SOURCES) == first
    assert calls(counting) == 1


def test_content_and_flags_make_another(counting: Path) -> None:
    built = {
        build_shared_library("seven", SOURCES),
        build_shared_library("seven", SOURCES, flags=("-O1",)),
        build_shared_library("seven", {**SOURCES, "seven.h": "#define SEVEN 8\n"}),
    }
    assert len(built) == 3
    assert calls(counting) == 3


def test_missing_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(ToolError) as caught:
        find_compiler("c")
    assert str(caught.value) == (
        "error[N002]: there is no C compiler\n"
        "   = it compiles the generated code, to be measured and checked\n"
        "   = help: apt-get install gcc libc6-dev, or name another in CC"
    )
    monkeypatch.setenv("CC", "mycc -m64")
    with pytest.raises(ToolError) as caught:
        find_compiler("c")
    assert caught.value.message == "there is no C compiler: CC names `mycc`, which is not on the PATH"
    assert caught.value.exit_code == 5


def test_compiler_that_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = tmp_path / "cc"
    script.write_text("#!/bin/sh\necho broken installation >&2\nexit 3\n")
    script.chmod(0o755)
    monkeypatch.setenv("CC", str(script))
    with pytest.raises(ToolError) as caught:
        find_compiler("c")
    assert str(caught.value) == (
        f"error[N003]: `{script} --version` failed with exit code 3\n   = broken installation"
    )


def test_a_compiler_of_each_kind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, version in {"gcc": "gcc 13.1", "clang": "clang version 16.0", "cc": "gcc 13.1", "mine": "clang 15.0"}.items():
        (tmp_path / name).write_text(f"#!/bin/sh\necho {version}\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert [one.describe() for one in find_compilers("c")] == ["gcc 13.1", "clang 16.0"]
    monkeypatch.setenv("CC", "mine")
    assert [one.describe() for one in find_compilers("c")] == ["clang 15.0", "gcc 13.1"]
    (tmp_path / "gcc").write_text("#!/bin/sh\nexit 3\n")
    (tmp_path / "cc").unlink()
    compiling._identify.cache_clear()
    assert [one.describe() for one in find_compilers("c")] == ["clang 15.0"]


def test_failing_compiler_shows_its_own_words(cache: Path) -> None:
    compiler = find_compiler("c")
    with pytest.raises(ToolError) as caught:
        build_shared_library("broken", {"broken.c": "int f(void) { return missing; }\n"}, compiler=compiler)
    text = str(caught.value)
    flags = " ".join(compiler.scalar_flags)
    assert text.startswith(
        "error[N004]: the compiler failed on broken with exit code 1\n"
        f"   = command: {compiler.command[0]} -std=c11 {flags} -fPIC -shared broken.c -o broken.so\n"
    )
    assert "broken.c:1:" in text
    assert "missing" in text
    assert not list(cache.rglob("*.so"))
    assert not [path for path in cache.rglob("*") if path.is_file()]


def test_cache_that_cannot_be_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("CIPHERASSAY_CACHE", str(tmp_path / "file" / "cache"))
    with pytest.raises(ToolError) as caught:
        build_shared_library("seven", SOURCES)
    assert str(caught.value) == (
        f"error[N001]: there is no folder for the cache: `{tmp_path}/file/cache`\n"
        "   = Not a directory\n"
        "   = help: name one that can be written in the environment variable CIPHERASSAY_CACHE"
    )


@pytest.mark.parametrize(
    ("line", "number"),
    [
        ("gcc (Debian 12.2.0-14+deb12u1) 12.2.0", "12.2.0"),
        ("Debian clang version 14.0.6", "14.0.6"),
        ("gcc (GCC) 13.2.1 20230801", "13.2.1"),
        ("Apple clang version 15.0.0 (clang-1500.3.9.4)", "15.0.0"),
        ("odd compiler", "odd compiler"),
    ],
)
def test_version_numbers(line: str, number: str) -> None:
    assert compiling._number(line) == number


def test_a_compiler_that_writes_nothing(tmp_path: Path) -> None:
    with pytest.raises(ToolError) as caught:
        compiling._compile("odd", tmp_path, {"odd.c": ""}, ["true"], [])
    assert str(caught.value) == "error[N005]: the compiler wrote no library for odd"
