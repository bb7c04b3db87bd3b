"""Names of ciphers, functions, tables and variables that are keywords elsewhere: what is emitted compiles."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from cipherassay.ciphers import load
from cipherassay.java.emitting import class_name
from support.command import assay
from support.places import DATA

Capture = pytest.CaptureFixture[str]
TEXT = (DATA / "keywords.py.txt").read_text(encoding="utf-8")


@pytest.fixture
def keywords(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "k.py").write_text(TEXT, encoding="utf-8")
    return tmp_path


def named(name: str) -> None:
    Path("k.py").write_text(TEXT.replace('Cipher("module"', f'Cipher("{name}"'), encoding="utf-8")


def run(*command: str | Path, tool: str = "") -> str:
    if shutil.which(tool or str(command[0])) is None:
        pytest.skip(f"{command[0]} is not here")
    ran = subprocess.run([*map(str, command)], capture_output=True, text=True, timeout=300, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout


@pytest.mark.parametrize("name", ["module", "3way", "String", "SAFER+"])
@pytest.mark.parametrize("strategy", ["direct", "unrolled"])
def test_c_compiles(capsys: Capture, keywords: Path, name: str, strategy: str) -> None:
    named(name)
    assert assay(capsys, "emit", "c", "./k.py", "-o", "c", "--strategy", strategy).code == 0
    (header,) = Path("c").glob("*.h")
    sources = sorted(Path("c").glob("*.c"))
    run("gcc", "-std=c11", "-Wall", "-Wextra", "-Werror", "-pedantic", "-Ic", *sources, "-o", "test")
    Path("use.cpp").write_text(f'#include <string.h>\n#include "{header.name}"\nint main() {{ return 0; }}\n')
    run("g++", "-Wall", "-Werror", "-Ic", "-c", "use.cpp", "-o", "use.o")


@pytest.mark.parametrize("name", ["class", "3way", "String"])
def test_java_compiles(capsys: Capture, keywords: Path, name: str) -> None:
    named(name)
    assert assay(capsys, "emit", "java", "./k.py", "-o", "j").code == 0
    (source,) = Path("j").glob("src/main/java/cipherassay/*.java")
    assert source.stem == f"Cipher{name}" == class_name(load("./k.py"))
    run("javac", "-d", "classes", source)


@pytest.mark.parametrize("name", ["module", "SAFER+"])
def test_devices_pass_their_benches(capsys: Capture, keywords: Path, name: str) -> None:
    named(name)
    assert assay(capsys, "emit", "rtl", "./k.py", "-o", "rtl", "--every", "64").code == 0
    (bench,) = (path.stem for path in Path("rtl").glob("*_bench.v"))
    (listed,) = Path("rtl").glob("*_verilog.f")
    verilog = [Path("rtl") / line for line in listed.read_text().split()]
    run("iverilog", "-g2005", "-o", "bench.vvp", *verilog)
    assert "PASS" in _inside("rtl", "vvp", "-n", "../bench.vvp")
    vhdl = sorted(path.name for path in Path("rtl").glob("*.vhd"))
    _inside("rtl", "ghdl", "-i", "--std=08", *vhdl)
    _inside("rtl", "ghdl", "-m", "--std=08", bench)
    assert "PASS" in _inside("rtl", "ghdl", "-r", "--std=08", bench)


def _inside(folder: str, *command: str) -> str:
    return run("env", "-C", folder, *command, tool=command[0])


def test_names_beyond_ascii(keywords: Path) -> None:
    text = TEXT.replace("signal", "σήμα").replace("int(", "φ(").replace("const", "κ")
    Path("k.py").write_text(text, encoding="utf-8")
    program = load("./k.py").compile(128)
    assert program.text().isascii()
