"""Java: emitted classes, their known answers in the virtual machine, the project around them, measurement, refusals."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from cipherassay import tools
from cipherassay.ciphers import load, of_papers
from cipherassay.errors import ToolError, VerificationError
from cipherassay.java import building, emitting, measuring, rows
from cipherassay.native.session import Session
from support.command import assay
from support.golden import golden
from support.usual import usual

Capture = pytest.CaptureFixture[str]
needs_jdk = pytest.mark.skipif(
    not shutil.which("javac"), reason="no JDK (apt-get install default-jdk-headless)"
)
HUGE_METHOD = 8000
"""HotSpot leaves methods with more bytes of code to the interpreter."""


@pytest.mark.golden
def test_emitted_class() -> None:
    golden("code/direct/RC6.java", emitting.generate(load("rc6"), [128], "direct").text)


@needs_jdk
@pytest.mark.parametrize("name", usual(of_papers(), ["e2", "rijndael"]))
def test_known_answers_and_sizes_of_methods(name: str, tmp_path: Path) -> None:
    cipher = load(name)
    made = emitting.generate(cipher)
    built = building.compiled(cipher, made, tmp_path)
    assert building.check(cipher, made, built) >= 3 * 128
    listing = building.run_tool(
        ["javap", "-c", "-p", "-cp", built.classpath, f"{emitting.PACKAGE}.{made.name}"]
    )
    longest = max(int(offset) for offset in re.findall(r"^ +(\d+): [a-z]", listing, re.MULTILINE))
    assert longest < HUGE_METHOD


def test_large_methods_spell_rotations_out() -> None:
    text = emitting.generate(load("serpent")).text
    schedule, others = text.split("void key_schedule_128", 1)[1].split("private static void", 1)
    assert schedule.count("Integer.rotateLeft(") == 20
    assert len(re.findall(r"= \(rotated = .*\) << 11 \| rotated >>> 21;", schedule)) == schedule.count(
        "rotated >>>"
    )
    assert schedule.count("int rotated = 0;") == 1
    assert "rotated" not in others.split("void encrypt(", 1)[1]


@needs_jdk
@pytest.mark.parametrize(
    ("name", "strategy", "variant"), [("rc6", "direct", ""), ("mars", "small-methods", "round-1")]
)
def test_known_answers_of_other_choices(name: str, strategy: str, variant: str, tmp_path: Path) -> None:
    cipher = load(name)
    made = emitting.generate(cipher, (), strategy, variant)
    assert building.check(cipher, made, building.compiled(cipher, made, tmp_path), variant) >= 3 * 128


@needs_jdk
def test_a_wrong_class_is_found(tmp_path: Path) -> None:
    cipher = load("rc6")
    made = emitting.generate(cipher, (), "direct")
    wrong = emitting.GeneratedClass(
        made.name, made.text.replace("0xb7e15163", "0xb7e15162"), made.key_bits, "direct"
    )
    with pytest.raises(VerificationError) as refused:
        building.check(cipher, wrong, building.compiled(cipher, wrong, tmp_path))
    text = str(refused.value)
    assert text.startswith("error[J010]: the class RC6, strategy `direct`, gives a wrong answer\n   = ")
    assert text.endswith("\n   = help: its times are not measured")
    assert "block ecb_" in text or "chain " in text


def test_a_project_is_written(tmp_path: Path, capsys: Capture) -> None:
    done = assay(
        capsys, "emit", "java", "serpent", "-o", str(tmp_path / "new"), "--json", "--key-bits", "192"
    )
    assert done.code == 0
    document = done.json
    assert (document["cipher"], document["strategy"]) == ("serpent", "periods")
    assert [str(Path(path).relative_to(tmp_path / "new")) for path in document["files"]] == [
        "src/main/java/cipherassay/Serpent.java",
        "src/test/java/cipherassay/SerpentTest.java",
        "src/test/resources/cipherassay/Serpent-known-answers.txt",
        "pom.xml",
        "README.md",
    ]
    answers = Path(document["files"][2]).read_text().splitlines()
    assert {line.split()[2] for line in answers if not line.startswith("#")} == {"192"}
    assert {line.split()[1] for line in answers if line.startswith("chain")} == {
        "ecb_e_m", "ecb_d_m", "cbc_e_m", "cbc_d_m",
    }  # fmt: skip
    assert "@ValueSource(ints = {192})" in Path(document["files"][1]).read_text()
    assert "javac -d classes src/main/java/cipherassay/Serpent.java" in Path(document["files"][4]).read_text()


def test_one_folder_takes_several_ciphers() -> None:
    first, second = (dict(emitting.project(load(name), (), "direct")) for name in ("rc6", "e2"))
    assert first["pom.xml"] == second["pom.xml"]
    assert not set(first) & set(second) - {"pom.xml", "README.md"}


def test_answers_of_a_key_that_no_vectors_have_are_computed() -> None:
    files = dict(emitting.project(load("rc6"), (), "compiled", "", bytes(range(16))))
    answers = files["src/test/resources/cipherassay/RC6-known-answers.txt"].splitlines()[3:]
    assert len(answers) == 16
    assert all(line.startswith("block computed 128 ") for line in answers)


def test_names_of_classes() -> None:
    assert emitting.class_name(load("mars"), "round-1") == "MARSRound1"
    assert emitting.class_name(load("rc6")) == "RC6"


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (
            ("-p", "java-jot"),
            "error[M002]: there is no processor `java-jot`\n   = help: did you mean `java-jit`?",
        ),
        (
            ("-p", "java-jit", "--key-bits", "100"),
            "error[N051]: RC6 has no keys of 100 bits\n   = help: its key sizes: 128, 192, 256",
        ),
    ],
)
def test_wrong_options(arguments: tuple[str, ...], text: str, capsys: Capture) -> None:
    done = assay(capsys, "measure", "rc6", *arguments)
    assert done.code == 2
    assert done.err.startswith(text)


@pytest.mark.parametrize(
    ("tool", "text"),
    [
        (
            "java",
            "error[T002]: `javac` is not on this machine\n"
            "   = what it is for: compiles and runs the generated Java\n"
            "   = without it: `assay emit java` still writes classes and their tests; nothing runs or measures them\n"
            "   = help: apt-get install default-jdk-headless\n",
        ),
        (
            "maven",
            "error[T002]: `mvn` is not on this machine\n"
            "   = what it is for: gets JMH and Bouncy Castle for `assay measure -p java-jit`; "
            "builds what `assay emit java` writes\n"
            "   = without it: classes are still written, and checked by the JDK alone; Java is not measured\n"
            "   = help: apt-get install maven\n",
        ),
    ],
)
def test_missing_tools(tool: str, text: str, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tools, "locate", lambda name: "" if name == tool else "/usr/bin/true")
    done = assay(capsys, "measure", "rc6", "-p", "java-jit")
    assert (done.code, done.err) == (5, text)


def test_rows_compare_with_c_and_with_bouncy_castle(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows, "tools_of", lambda benchmark: "a virtual machine")
    cipher = load("rc6")
    made = emitting.GeneratedClass("RC6", "", (128,), "shortest-chains")
    benchmark = measuring.Benchmark(
        cipher, made, building.CompiledClasses(Path(), ""), {"engine": "RC6Engine", "version": "1"}, 3
    )
    times = measuring.Times("encrypt", 128, {"generated": [60.0, 50.0], "rival": [80.0, 75.0]}, [3.9, 4.0])
    environment = type("Environment", (), {"stable": True})()
    session = Session(environment)
    compared = rows.OperationComparison(times, 160.0, "gcc", True)
    found = rows.rows_of(benchmark, "java-jit", session, compared, "assay measure")
    assert [(row.metric, row.value, row.ratio) for row in found] == [
        ("cycles", 200.0, 1.25), ("time_ns", 50.0, None), ("cycles", 160.0, None), ("cycles", 300.0, 1.5),
    ]  # fmt: skip
    assert not times.steady
    assert measuring.Times("encrypt", 128, {"generated": [51.0, 50.0]}, [4.0]).steady
    assert found[3].configuration == "Bouncy Castle 1 RC6Engine, java-jit, with the just-in-time compiler"


@needs_jdk
def test_jmh_measures_what_passed_its_known_answers(tmp_path: Path) -> None:
    try:
        building.libraries()
    except ToolError as error:
        pytest.skip(f"JMH is not to be had: {error.message}")
    cipher = load("rc6")
    benchmark = measuring.prepare(cipher, emitting.generate(cipher), tmp_path)
    assert benchmark.left_out == ""
    assert benchmark.answers >= 3 * 128
    little = measuring.Runs(forks=1, iterations=2, milliseconds=5, warm_up=200)
    times = benchmark.measure("encrypt", 128, "java-jit", little)
    assert {name: len(values) for name, values in times.nanoseconds.items()} == {"generated": 1, "rival": 1}
    assert 20 < times.cycles("generated") < 1e6
