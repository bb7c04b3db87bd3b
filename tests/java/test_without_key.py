"""Java of what has no key: static methods, known answers in the virtual machine, the project around them."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from cipherassay import tools
from cipherassay.ciphers import load
from cipherassay.errors import ToolError, VerificationError
from cipherassay.java import building, emitting, measuring, rows
from cipherassay.native.session import Session
from support.command import assay

Capture = pytest.CaptureFixture[str]
needs_jdk = pytest.mark.skipif(not tools.locate("java"), reason="no JDK (apt-get install default-jdk-headless)")
CASES = [("ascon", ""), ("ascon", "6-rounds"), ("gimli", ""), ("xoodoo", "6-rounds"), ("keccak", "")]


@needs_jdk
@pytest.mark.parametrize(("name", "variant"), CASES)
def test_known_answers(name: str, variant: str, tmp_path: Path) -> None:
    cipher = load(name)
    made = emitting.generate(cipher, variant=variant)
    assert building.check(cipher, made, building.compiled(cipher, made, tmp_path), variant) >= 8


@needs_jdk
def test_a_wrong_inverse_is_found(tmp_path: Path) -> None:
    cipher = load("ascon")
    made = emitting.generate(cipher)
    before, after = made.text.split("public static void inverse")
    text = f"{before}public static void inverse{after.replace('inverse_1(', 'permute_1(', 1)}"
    wrong = emitting.GeneratedClass(made.name, text, made.key_bits, made.strategy)
    with pytest.raises(VerificationError) as refused:
        building.check(cipher, wrong, building.compiled(cipher, wrong, tmp_path))
    assert str(refused.value).startswith("error[J010]: the class Asconp, strategy `direct`, gives a wrong answer\n   = block ")


def test_methods_are_static_and_there_is_no_key() -> None:
    with_inverse, without = (emitting.generate(load(name)).text for name in ("xoodoo", "gimli"))
    assert re.findall(r"public [^(\n]*\w+\(", with_inverse) == [
        "public static void permute(", "public static void inverse(",
    ]  # fmt: skip
    assert re.findall(r"public [^(\n]*\w+\(", without) == ["public static void permute("]
    assert "The permutation Gimli." in without
    assert not re.search("[Kk]ey|ready", without.replace("There is no key, and", "").split("private static void")[0])


def test_files_of_a_project() -> None:
    files = dict(emitting.project(load("gimli")))
    assert "inverse" not in files["src/test/java/cipherassay/GimliTest.java"]
    answers = files["src/test/resources/cipherassay/Gimli-known-answers.txt"].splitlines()
    assert all(line.startswith(("#", "block ")) and " - " in line for line in answers if "block " in line)
    page = files["README.md"]
    assert "Gimli.permute(in, inOffset, out, outOffset);   // one state of 48 bytes" in page
    assert "Bouncy Castle" not in page
    assert "A permutation alone hides nothing" in page


@needs_jdk
def test_commands_of_the_page_run(tmp_path: Path, capsys: Capture) -> None:
    assert assay(capsys, "emit", "java", "xoodoo", "--variant", "6-rounds", "-o", str(tmp_path)).code == 0
    first, second = re.findall(r"```sh\n(.*)\n```", (tmp_path / "README.md").read_text())
    assert subprocess.run(first, shell=True, cwd=tmp_path, check=False).returncode == 0
    assert list((tmp_path / "classes/cipherassay").glob("Xoodoo6Rounds.class"))
    if not tools.locate("maven"):
        pytest.skip("no Maven (apt-get install maven)")
    ran = subprocess.run([*second.split(), "-B"], cwd=tmp_path, check=False, capture_output=True, text=True)
    if "Could not transfer" in ran.stdout:
        pytest.skip("JUnit is not to be had: Maven Central is not reached")
    assert "Tests run: 3, Failures: 0, Errors: 0" in ran.stdout
    assert "BUILD SUCCESS" in ran.stdout


@needs_jdk
@pytest.mark.parametrize(("name", "variant"), [("chacha20", ""), ("salsa20", "8-rounds")])
def test_known_answers_of_functions(name: str, variant: str, tmp_path: Path) -> None:
    cipher = load(name)
    made = emitting.generate(cipher, variant=variant)
    assert re.findall(r"public [^(\n]*\w+\(", made.text) == ["public void evaluateKey(", "public void evaluate("]
    assert "OUTPUT_BYTES = 64" in made.text
    assert building.check(cipher, made, building.compiled(cipher, made, tmp_path), variant) == 64
    wrong = emitting.GeneratedClass(
        made.name, made.text.replace(", 7)", ", 8)", 1), made.key_bits, made.strategy
    )
    with pytest.raises(VerificationError) as refused:
        building.check(cipher, wrong, building.compiled(cipher, wrong, tmp_path), variant)
    assert "gives a wrong answer\n   = block library 256 1 " in str(refused.value)


@needs_jdk
def test_commands_of_a_functions_page_run(tmp_path: Path, capsys: Capture) -> None:
    assert assay(capsys, "emit", "java", "chacha20", "-o", str(tmp_path)).code == 0
    page = (tmp_path / "README.md").read_text()
    assert "function.evaluateKey(key);                             // 256 bits" in page
    first, second = re.findall(r"```sh\n(.*)\n```", page)
    assert subprocess.run(first, shell=True, cwd=tmp_path, check=False).returncode == 0
    if not tools.locate("maven"):
        pytest.skip("no Maven (apt-get install maven)")
    ran = subprocess.run([*second.split(), "-B"], cwd=tmp_path, check=False, capture_output=True, text=True)
    if "Could not transfer" in ran.stdout:
        pytest.skip("JUnit is not to be had: Maven Central is not reached")
    assert "Tests run: 2, Failures: 0, Errors: 0" in ran.stdout


@needs_jdk
def test_jmh_measures_a_permutation(tmp_path: Path) -> None:
    try:
        building.libraries()
    except ToolError as error:
        pytest.skip(f"JMH is not to be had: {error.message}")
    cipher = load("ascon")
    benchmark = measuring.prepare(cipher, emitting.generate(cipher), tmp_path)
    little = measuring.Runs(forks=1, iterations=2, milliseconds=5, warm_up=200)
    for operation in ("permute", "inverse"):
        times = benchmark.measure(operation, 0, "java-jit", little)
        assert list(times.nanoseconds) == ["generated"]
        assert 50 < times.cycles("generated") < 1e6
    session = Session(type("Environment", (), {"stable": True})())
    found = rows.rows_of(benchmark, "java-jit", session, rows.OperationComparison(times, 160.0, "gcc", True), "assay")
    assert {(row.operation, row.key_bits) for row in found} == {("inverse", None)}
