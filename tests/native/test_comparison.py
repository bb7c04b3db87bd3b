"""The comparison with other libraries: records, what is missing, what is wrong, ratios."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cipherassay.ciphers import load, names
from cipherassay.errors import DescriptionError, ToolError, UsageError
from cipherassay.native import comparison, comparison_jobs, libraries
from cipherassay.native.backend import LoadedBackend
from cipherassay.native.checking import check_implementation
from cipherassay.native.comparison import Comparison, Peers, load_peers
from cipherassay.native.comparison_jobs import grouped
from cipherassay.native.harness import OPERATIONS
from cipherassay.native.libraries import Library, load_library, records
from cipherassay.results import Row
from cipherassay.tools.compiler import Compiler, find_compilers
from support.command import assay

Capture = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True, scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    patch = pytest.MonkeyPatch()
    patch.setenv("CIPHERASSAY_CACHE", str(tmp_path_factory.mktemp("cache")))
    yield
    patch.undo()


def library(**changes: Any) -> Library:
    fields: dict[str, Any] = {
        "name": "none", "title": "None", "package": "libnone-dev", "ciphers": {},
        "header": "none/none.h", "source": "openssl.c", "compiler": "gcc",
    }  # fmt: skip
    return Library(**{**fields, **changes})


def row(value: float, strategy: str | None, configuration: str, **changes: Any) -> Row:
    fields: dict[str, Any] = {
        "cipher": "RC6", "operation": "encrypt", "key_bits": 128, "strategy": strategy,
        "level": "native", "target": "a machine", "configuration": configuration, "metric": "cycles",
        "value": value, "basis": "measured", "stable": True, "command": "assay compare",
    }  # fmt: skip
    return Row(**{**fields, **changes})


def test_records_name_known_ciphers_and_their_files() -> None:
    found, figures = records()
    assert {"cryptopp", "botan", "libgcrypt", "nettle", "libtomcrypt", "openssl", "rustcrypto"} <= {
        one.name for one in found
    }
    for one in found:
        assert set(one.ciphers) <= set(names()), one.name
        assert one.path, one.name
        assert bool(one.compiler) != bool(one.cargo), one.name
        assert (libraries.FOLDER / (one.source or one.cargo)).exists(), one.name
        for slug, said in one.ciphers.items():
            assert ": " in said.source, (one.name, slug)
            assert bool(said.crate) == bool(one.cargo), (one.name, slug)
    for published in figures:
        assert published.kernel["library"] in {one.name for one in found}
        assert {figure.operation for figure in published.figures} == set(OPERATIONS)


def test_wrong_record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "odd.toml").write_text('title = "Odd"\nshape = "round"\n[ciphers]\n')
    monkeypatch.setattr(libraries, "FOLDER", tmp_path)
    records.cache_clear()
    try:
        with pytest.raises(DescriptionError, match="N040") as caught:
            records()
    finally:
        monkeypatch.undo()
        records.cache_clear()
    assert caught.value.message.startswith("the record odd.toml is wrong: ")
    assert "shape" in caught.value.message


def test_missing_library_says_how_to_get_it() -> None:
    with pytest.raises(ToolError) as caught:
        load_library(library())
    assert str(caught.value) == (
        "error[N041]: None is not installed: there is no <none/none.h>\n"
        "   = help: apt-get install libnone-dev"
    )


def test_missing_library_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(comparison, "records", lambda: ((library(),), ()))
    peers = load_peers()
    assert not peers.loaded
    assert [(one.name, one.reason, one.help) for one in peers.skipped] == [
        ("None", "None is not installed: there is no <none/none.h>", "apt-get install libnone-dev")
    ]


def test_missing_cargo(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(ToolError) as caught:
        load_library(library(title="Crates", package="cargo", cargo="rustcrypto", source=""))
    assert str(caught.value) == "error[N043]: Crates needs cargo\n   = help: apt-get install cargo"


def test_unknown_library() -> None:
    with pytest.raises(UsageError) as caught:
        load_peers(["criptopp"])
    assert str(caught.value).startswith(
        "error[N052]: no library is called `criptopp`\n   = help: did you mean `cryptopp`? (known: botan, "
    )


def exported(file: Path) -> set[str]:
    """Return the slugs of the ciphers that an adapter has, as the linker lists its symbols."""
    listed = subprocess.run(["nm", "-D", "--defined-only", file], capture_output=True, text=True, check=True)
    symbols = {line.split()[-1] for line in listed.stdout.splitlines()} - {"assay_version"}
    return {re.sub(r"_\d+$", "", one.removeprefix("assay_")) for one in symbols if one.startswith("assay_")}


@pytest.mark.parametrize("name", [one.name for one in records()[0] if not one.cargo])
def test_every_library_here_computes_the_ciphers(name: str) -> None:
    record = next(one for one in records()[0] if one.name == name)
    try:
        loaded = load_library(record)
    except ToolError as error:
        pytest.skip(f"{error.message} ({error.help})")
    assert exported(loaded.file) == set(record.ciphers)
    for slug in record.ciphers:
        assert any(character.isdigit() for character in loaded.describe(slug))
        described = load(slug)
        found = {bits: loaded.cipher(slug, bits, described.sizes[1]) for bits in described.key_bits}
        assert any(found.values()), (name, slug)
        for bits, cipher in found.items():
            if cipher is not None:
                assert cipher.block_bytes == described.sizes[0]
                check_implementation(described, LoadedBackend(cipher, name), bits)


def test_rows_are_grouped_by_operation() -> None:
    rows = [
        row(150, "unrolled", "gcc"), row(140, "unrolled", "clang"), row(160, None, "A 1"), row(170, None, "B 2"),
        row(1, "x", "gcc", operation="decrypt"),
    ]  # fmt: skip
    first, second = grouped(rows)
    assert first == Comparison((rows[0], rows[1]), (rows[2], rows[3]))
    assert (first.ours, first.best) == (rows[0], rows[1])
    assert second == Comparison((rows[4],), ())


def test_rows_of_each_compiler_and_of_the_better_one() -> None:
    def compared(operation: str, gcc: float, clang: float) -> list[Row]:
        ours = {"gcc 12.2.0 -O2": gcc, "clang 14.0.6 -O2": clang}
        return [
            row(value, "direct", name, compiler=name, operation=operation, reference=100.0)
            for name, value in ours.items()
        ]  # fmt: skip

    rows = [*compared("encrypt", 90, 110), *compared("decrypt", 120, 105), row(1, "direct", "gcc", operation="permute")]
    found = comparison.compared_rows(grouped(rows))
    assert {how: [one.value for one in rows] for how, rows in found.items()} == {
        "gcc": [90, 120], "clang": [110, 105], "the better of both": [90, 105],
    }  # fmt: skip
    assert list(comparison.compared_rows(grouped([rows[0], rows[2]]))) == ["gcc"]


@pytest.fixture
def pretended(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A comparison whose times are given: ours 150, others 160 and 40 (AES instructions)."""
    monkeypatch.setenv("ASSAY_STORE", str(tmp_path / "store"))

    def compare(ours: Any, *rest: Any) -> Iterator[Comparison]:
        others = (
            row(40, None, "B 2, aes-instructions", constant_time=True),
            row(160, None, "A 1", stable=False, constant_time=False),
            row(170, None, "D 1", constant_time=True),
        )
        best = {"reference": 150.0, "reference_source": "A 1", "constant_time": True}
        compiled = (
            row(153.2, "direct", "gcc 12.2.0 -O2", compiler="gcc 12.2.0 -O2", **best),
            row(150.0, "direct", "clang 14.0.6 -O2", compiler="clang 14.0.6 -O2", stable=False, **best),
        )
        yield Comparison(compiled, others)

    monkeypatch.setattr(comparison_jobs, "compare", compare)
    monkeypatch.setattr(
        comparison, "load_peers", lambda only: Peers(skipped=[comparison.Omission("C", "not here", "get it")])
    )


ARGUMENTS = (
    "compare", "rc6", "--key-bits", "128", "--strategy", "direct", "--accept-unstable",
)  # fmt: skip


def test_table_of_a_comparison(
    pretended: None, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    ran = assay(capsys, *ARGUMENTS)
    assert ran.code == 0
    lines = ran.out.splitlines()
    assert lines[0] == "a machine; ours: gcc 12.2.0 -O2, clang 14.0.6 -O2"
    columns = "cipher operation key by gcc ratio by clang ratio best library its of our kind its ratio others"
    assert " ".join(lines[1].split()) == columns
    cells = [cell for cell in lines[3].split("  ") if cell]
    assert [cell.strip() for cell in cells if cell.strip()] == [
        "RC6", "encrypt", "128", "153.2°", "1.021", "150.0*°", "1", "A 1", "160.0*", "D 1°", "170.0", "0.901",
        "B 2, aes-instructions° 40.0, D 1° 170.0",
    ]  # fmt: skip
    assert ran.err.endswith(
        "left out: C: not here (get it)\n"
        "°: constant time; *: measured on an unsteady machine\n"
        "of our kind: constant time as ours is, or not as ours is not; ratio: of our first column\n"
        "slower than the best library by more than 2 %: 1 of 1 rows by gcc, 0 of 1 rows by clang, "
        "0 of 1 rows by the better of both\n"
    )


def test_json_of_a_comparison(pretended: None, capsys: Capture) -> None:
    found = assay(capsys, *ARGUMENTS, "--json").json
    assert found["skipped"] == [{"name": "C", "reason": "not here", "help": "get it"}]
    first, second, *others = found["rows"]
    assert first["ratio"] == pytest.approx(153.2 / 150)
    assert [one["compiler"] for one in (first, second)] == ["gcc 12.2.0 -O2", "clang 14.0.6 -O2"]
    assert [one["configuration"] for one in others] == ["B 2, aes-instructions", "A 1", "D 1"]
    assert [one["strategy"] for one in others] == [None, None, None]
    assert [one["constant_time"] for one in (first, *others)] == [True, True, False, True]


def test_best_library_is_the_fastest_without_aes_instructions() -> None:
    class Ours:
        strategy = "direct"
        cipher = load("rijndael")

        def is_constant_time(self, key_bits: int) -> bool:
            return False

    class Here:
        target = "a machine"

    made = comparison._Rows(Ours(), "encrypt", 128, Here(), frozenset())  # type: ignore[arg-type]
    fast, scalar = row(40, None, "B 2, aes-instructions"), row(160, None, "A 1")
    gcc = Compiler("c", ("gcc",), "gcc", "gcc (Debian 12.2.0-14) 12.2.0")
    ours = made.ours(gcc, 144.0, [fast, scalar])
    assert (ours.reference, ours.reference_source, ours.ratio) == (160.0, "A 1", 0.9)
    assert ours.configuration == "gcc 12.2.0 -O2 -fno-tree-vectorize"
    assert made.ours(gcc, 144.0, [fast]).ratio is None


@pytest.mark.skipif(not shutil.which("gcc"), reason="no gcc: apt-get install gcc")
def test_a_whole_comparison(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    monkeypatch.setenv("ASSAY_STORE", str(tmp_path / "store"))
    try:
        load_library(next(one for one in records()[0] if one.name == "libtomcrypt"))
    except ToolError as error:
        pytest.skip(f"{error.message} ({error.help})")
    ran = assay(capsys, *ARGUMENTS, "--quick", "--library", "libtomcrypt", "--json")
    assert ran.code == 0, ran.err
    rows = json.loads(ran.out)["rows"]
    kinds = [one.kind for one in find_compilers("c")]
    assert [one["operation"] for one in rows] == [name for name in OPERATIONS for _ in [*kinds, "theirs"]]
    for first in range(0, len(rows), len(kinds) + 1):
        *ours, theirs = rows[first : first + len(kinds) + 1]
        assert [one["compiler"].split()[0] for one in ours] == kinds
        for one in ours:
            assert one["reference"] == theirs["value"] > 50
            assert theirs["configuration"] == one["reference_source"]
        assert theirs["compiler"] == "gcc"
