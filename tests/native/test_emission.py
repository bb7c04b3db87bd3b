"""Emitted C against the evaluator: every cipher, variant and key size; sanitizers, byte order, constant time.

What the C of every strategy computes, and that compilers say nothing of it, is in `known_answers/test_matrix.py`.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from cipherassay import strategies
from cipherassay.ciphers import load, of_papers
from cipherassay.errors import UsageError
from cipherassay.native.emitting import project
from support import emitted
from support.emitted import Library, cases, choices, compilers, run, write
from support.usual import usual

SMALLER = usual(of_papers(), ["mars", "rijndael", "serpent"])
"""Table look-ups, S-boxes in bit slices, multiplications; the other ciphers are left to the long run."""
PREFERRED = [choice for choice in choices() if choice[2] == strategies.preferred(load(choice[0]))]
pytestmark = pytest.mark.skipif(not compilers(), reason="no C compiler (apt-get install gcc libc6-dev)")


@pytest.mark.parametrize(("name", "variant", "strategy"), usual(choices(), PREFERRED))
def test_code_agrees_with_the_evaluator(name: str, variant: str, strategy: str, tmp_path: Path) -> None:
    cipher = load(name)
    optimize = "-O1" if strategy == strategies.preferred(cipher) else "-O0"
    library = Library(tmp_path, write(tmp_path, cipher, strategy, variant), compilers()[0], [optimize])
    for bits in cipher.key_bits:
        for key, plain, coded in cases(cipher, bits, variant, 4):
            assert library.set_key(key, "encrypt") == 0
            assert library.block(plain, "encrypt") == coded
            assert library.set_key(key, "decrypt") == 0
            assert library.block(coded, "decrypt") == plain
    assert library.set_key(bytes(32), "encrypt", 100) == -1
    assert library.set_key(bytes(32), "decrypt", 100) == -1


@pytest.mark.parametrize("name", of_papers())
def test_code_for_one_key_serves_that_key_only(name: str, tmp_path: Path) -> None:
    cipher = load(name)
    key, plain, coded = cases(cipher, 128, "", 1)[0]
    library = Library(tmp_path, write(tmp_path, cipher, "compiled", "", key), compilers()[0], ["-O0"])
    assert library.set_key(key, "encrypt") == 0
    assert library.block(plain, "encrypt") == coded
    assert library.block(coded, "decrypt") == plain
    assert library.set_key(bytes(16), "encrypt") == -1
    assert library.set_key(key + key, "decrypt") == -1


@pytest.mark.parametrize("name", SMALLER)
def test_other_compilers_find_nothing_to_warn_of(name: str, tmp_path: Path) -> None:
    others = compilers()[1:]
    if not others:
        pytest.skip("only one C compiler (apt-get install gcc clang)")
    for strategy in ("direct", strategies.preferred(load(name))):
        written = write(tmp_path, load(name), strategy)
        run([others[0], *emitted.WARNINGS, "-Weverything", *NOT_WARNED, "-fsyntax-only", f"{written}.c"], tmp_path)


NOT_WARNED = [
    "-Wno-padded", "-Wno-declaration-after-statement", "-Wno-unsafe-buffer-usage", "-Wno-covered-switch-default",
    "-Wno-switch-default", "-Wno-unknown-warning-option", "-Wno-implicit-int-conversion",
]  # fmt: skip
"""What is no matter of correctness: layout, C90, pointers as such; small elements in index sums."""


@pytest.mark.parametrize("name", SMALLER)
def test_sanitizers_find_nothing(name: str, tmp_path: Path) -> None:
    for strategy in ("direct", strategies.preferred(load(name))):
        written = write(tmp_path, load(name), strategy)
        (tmp_path / "main.c").write_text(emitted.driver(written, name, "", 2))
        flags = ["-O0", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
        command = [compilers()[0], *emitted.WARNINGS, *flags, "main.c", f"{written}.c", "-o", "main"]
        run(command, tmp_path)
        assert run(["./main"], tmp_path) == "all agree\n"


S390X = ("s390x-linux-gnu-gcc", "qemu-s390x")


@pytest.mark.skipif(
    not all(map(shutil.which, S390X)),
    reason="no big-endian target (apt-get install gcc-s390x-linux-gnu libc6-dev-s390x-cross qemu-user)",
)
@pytest.mark.parametrize("name", SMALLER)
def test_big_endian_processor_computes_the_same(name: str, tmp_path: Path) -> None:
    for strategy in ("direct", strategies.preferred(load(name))):
        written = write(tmp_path, load(name), strategy)
        (tmp_path / "main.c").write_text(emitted.driver(written, name, "", 2))
        run([S390X[0], *emitted.WARNINGS, "-O1", "-static", "main.c", f"{written}.c", "-o", "main"], tmp_path)
        assert run([S390X[1], "./main"], tmp_path) == "all agree\n"


HEADER = Path("/usr/include/valgrind/memcheck.h")


@pytest.mark.skipif(
    not (shutil.which("valgrind") and HEADER.exists()), reason="no valgrind (apt-get install valgrind)"
)
@pytest.mark.parametrize("name", SMALLER)
def test_constant_time_verdict_is_that_of_memcheck(name: str, tmp_path: Path) -> None:
    """Keys and blocks are undefined for memcheck: a branch or address that depends on them is an error."""
    for strategy in ("direct", strategies.preferred(load(name))):
        program = strategies.program(load(name), 128, strategy)
        functions = [f["name"] for f in program.functions() if "schedule" in f["name"] or "crypt" in f["name"]]
        verdict = all(program.constant_time(f)["constant_time"] for f in functions)
        written = write(tmp_path, load(name), strategy)
        (tmp_path / "main.c").write_text(emitted.driver(written, name, "", 1))
        command = [compilers()[0], "-O1", "-g", "-DMARK_SECRETS", "main.c", f"{written}.c", "-o", "main"]
        run(command, tmp_path)
        memcheck = ["valgrind", "-q", "--error-exitcode=9", "./main"]
        done = subprocess.run(memcheck, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == (0 if verdict else 9), done.stderr[-2000:]
        assert "all agree" in done.stdout


def test_verdicts_are_those_of_the_designs() -> None:
    verdicts = {
        name: strategies.program(load(name), 128, "direct").constant_time("encrypt")["sentence"] for name in of_papers()
    }
    assert verdicts["serpent"] == "yes"
    assert verdicts["rc6"] == "yes, given a processor with constant-time multiplication and variable rotation"
    for name in ("e2", "mars", "rijndael", "twofish"):
        assert verdicts[name].startswith("no, secrets decide addresses in table ")


def test_same_description_gives_the_same_bytes(tmp_path: Path) -> None:
    script = "import sys; from cipherassay import strategies; from cipherassay.ciphers import load\n"
    script += "for n in sys.argv[1:]: print(strategies.emit_c(load(n)))"
    said = set()
    for seed in "12":
        environment = dict(os.environ, PYTHONHASHSEED=seed, PYTHONPATH=os.pathsep.join(filter(None, sys.path)))
        said.add(run([sys.executable, "-c", script, "rc6", "e2"], tmp_path, environment))
    assert len(said) == 1


def test_strategy_files_are_complete() -> None:
    for name in strategies.names():
        strategy = strategies.load(name)
        assert strategy.title
        assert strategy.description.endswith(".")
    assert {strategies.preferred(load(n)) for n in of_papers()} <= set(strategies.names())
    assert json.dumps(strategies.applicable(load("rc6")))


STANDARDS = (("gcc", "-std=c99"), ("g++", "-xc++", "-std=c++11"), ("clang", "-std=c99"), ("clang++", "-xc++", "-std=c++11"))


@pytest.mark.parametrize("words", STANDARDS, ids=" ".join)
@pytest.mark.parametrize("name", ["rijndael", "twofish", "rc6", "gimli", "threefish256"])
def test_the_folder_is_c99_and_cpp(words: tuple[str, ...], name: str, tmp_path: Path) -> None:
    if shutil.which(words[0]) is None:
        pytest.skip(f"{words[0]} is not here")
    files = project(load(name), strategy="direct")
    for file, text in files:
        (tmp_path / file).write_text(text)
    sources = [str(tmp_path / file) for file, _ in files if file.endswith(".c")]
    strict = ["-O0", "-Wall", "-Wextra", "-pedantic", "-Wconversion", "-Werror"]
    ran = subprocess.run(
        [*words, *strict, "-o", str(tmp_path / "test"), *sources], capture_output=True, text=True, check=False
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    assert "known answers right" in subprocess.run([str(tmp_path / "test")], capture_output=True, text=True, check=True).stdout


def test_names_begin_with_a_prefix(tmp_path: Path) -> None:
    """Two strategies of one cipher in one program: no symbol is there twice."""
    for prefix, strategy in (("a_", "direct"), ("b_", "merged-tables-32")):
        for file, text in project(load("rijndael"), (128,), strategy, prefix=prefix):
            if file.startswith(prefix):
                (tmp_path / file).write_text(text)
    (tmp_path / "a_rijndael_test.c").unlink()
    sources = [str(path) for path in tmp_path.glob("*.c")]
    ran = subprocess.run([compilers()[0], "-o", str(tmp_path / "test"), *sources], capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stderr) == (0, "")
    said = subprocess.run([str(tmp_path / "test")], capture_output=True, text=True, check=True).stdout
    assert said.startswith("b_rijndael: ")
    with pytest.raises(UsageError) as caught:
        project(load("rijndael"), prefix="9-")
    assert str(caught.value) == (
        "error[S038]: names of C cannot begin with `9-`\n   = help: letters, digits and `_`: --prefix my_"
    )


def test_clear_overwrites_the_round_keys(tmp_path: Path) -> None:
    for file, text in project(load("rc6"), (128,)):
        (tmp_path / file).write_text(text)
    (tmp_path / "main.c").write_text("""
#include "rc6.h"
#include <stdlib.h>
int main(void)
{
    unsigned char key[16] = {1, 2, 3};
    rc6_ctx *ctx = (rc6_ctx *)malloc(sizeof *ctx);
    const volatile unsigned char *seen = (const volatile unsigned char *)ctx;
    size_t n;
    unsigned before = 0, after = 0;
    if (rc6_encrypt_key(ctx, key, 128) != 0) return 2;
    for (n = 0; n < sizeof *ctx; n++) before |= seen[n];
    rc6_clear(ctx);
    for (n = 0; n < sizeof *ctx; n++) after |= seen[n];
    free(ctx);
    return before == 0 || after != 0;
}
""")
    built = ["-O2", "-o", str(tmp_path / "main"), str(tmp_path / "main.c"), str(tmp_path / "rc6.c")]
    subprocess.run([compilers()[0], *built], check=True)
    assert subprocess.run([str(tmp_path / "main")], check=False).returncode == 0


@pytest.mark.parametrize("name", ["rc6", "gimli"])
def test_make_builds_and_tests(name: str, tmp_path: Path) -> None:
    if shutil.which("make") is None:
        pytest.skip("make is not here")
    for file, text in project(load(name)):
        (tmp_path / file).write_text(text)
    ran = subprocess.run(["make", "-C", str(tmp_path), "test"], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    assert "known answers right" in ran.stdout
    assert (tmp_path / f"lib{name}.a").is_file()
