"""Simulated runs, their timelines as text and page, distributions, and the verb `assay simulate`."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from cipherassay.cli.simulate import shown
from cipherassay.errors import DescriptionError, UsageError
from cipherassay.processors import load, simulating, timeline
from support.command import assay
from support.refusals import refusal

TEXT = """\
{ .mii
\tld8 r8 = [r32]
\tnop.i 0
\tnop.i 0 ;;
}
{ .mii
\tld4 r9 = [r8]
\tnop.i 0
\tnop.i 0 ;;
}
"""
MEMORY = (simulating.BASE + 8).to_bytes(8, "little") + bytes(8)


def simulated() -> simulating.Simulation:
    machine = simulating.load(TEXT, load("mckinley"), file="loads.s")
    return simulating.simulate(machine, [simulating.BASE], MEMORY, timeline=True)


def test_a_run_says_what_it_waited_for() -> None:
    run = simulated()
    assert (run.cycles, run.operations, run.useful, run.stalls) == (3, 6, 2, {"operand": 1})
    late = run.events[3]
    assert (late.line, late.text, late.insert, late.issue) == (7, "ld4 r9 = [r8]", 1, 2)
    assert late.reason == "waits for r8 of line 2"
    assert run.events[0].reason == ""


def test_timeline_as_text() -> None:
    assert timeline.text(simulated()) == """\
D due or inserted, . waiting, E executing, - done, R retired; (…) predicate false
 line  operation       issue  done  0
    2  ld8 r8 = [r32]      0     1  E
    3  nop.i 0             0     1  E
    4  nop.i 0             0     1  E
    7  ld4 r9 = [r8]       2     3   DE   waits for r8 of line 2
    8  nop.i 0             2     3   DE   waits for r8 of line 2
    9  nop.i 0             2     3   DE   waits for r8 of line 2
"""
    assert timeline.text(simulated(), rows=2).endswith("… 4 more operations\n")


def test_timeline_as_a_page_refers_to_nothing_outside() -> None:
    page = timeline.html(simulated(), title="a < b")
    assert "a &lt; b" in page
    assert "waits for r8 of line 2" in page
    assert page.count("<tr") == 1 + 6
    assert not any(mark in page for mark in ("http:", "https:", "src=", "@import"))


def test_functional_runs_count_no_cycles() -> None:
    machine = simulating.load(TEXT, load("mckinley"))
    run = simulating.simulate(machine, [simulating.BASE], MEMORY, mode="functional")
    assert (run.cycles, run.operations) == (0, 6)
    with pytest.raises(UsageError, match="M515") as caught:
        simulating.simulate(machine, [], MEMORY, mode="guess")
    assert str(caught.value) == "error[M515]: there is no mode `guess`\n   = help: `functional` or `cycles`"


def test_errors_name_the_file() -> None:
    with pytest.raises(DescriptionError) as caught:
        simulating.load("{ .mii\nxro r8 = r9, r10\n", load("mckinley"), file="loads.s")
    assert str(caught.value) == (
        "error[M500]: `xro` is no instruction of ia64\n  --> loads.s:2:1\n   = help: did you mean `or`?"
    )


def test_the_mode_of_a_distribution_is_a_number_of_cycles() -> None:
    found = simulating.distribution([7, 9, 9, 9, 8, 7, 12])
    assert (found.count, found.min, found.mode, found.max) == (7, 7.0, 9.0, 12.0)
    assert simulating.distribution([5, 5]).sigma == 0.0


def test_banks_make_times_depend_on_the_input() -> None:
    # Two loads of bytes of a table launch together unless both fall into one of the two banks.
    text = "\tldb 0(%r26),%r3\n\tldb 8(%r26),%r4\n\tldbx %r3(%r25),%r5\n\tldbx %r4(%r25),%r6\n"
    machine = simulating.load(text, load("pa8500"))
    data = b"".join(bytes([a, *bytes(7), b, *bytes(7)]) for a, b in ((0, 8), (0, 16), (3, 7), (1, 15)))
    memory = bytes(256)
    base = simulating.BASE
    cycles = machine.distribution([base, base + 64], memory, [(0, 16, data)], 4)
    assert [c - min(cycles) for c in cycles] == [0, 1, 1, 0]
    with pytest.raises(UsageError, match="M514"):
        machine.distribution([base], memory, [(250, 16, data)], 4)


def test_the_verb_prints_a_run_and_writes_a_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "loads.s"
    file.write_text(TEXT.replace("[r8]", "[r33]"))
    page = tmp_path / "page.html"
    ran = assay(capsys, "simulate", str(file), "-p", "mckinley", "--timeline", "--html", str(page))
    assert ran.code == 0
    assert "ld4 r9 = [r33]" in ran.out
    assert page.read_text().startswith("<!doctype html>")
    document = assay(capsys, "simulate", str(file), "-p", "mckinley", "--json").json
    assert (document["cycles"], document["useful"], len(document["events"])) == (2, 2, 6)


def test_the_verb_refuses_what_it_cannot_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ran = assay(capsys, "simulate", str(tmp_path / "none.s"), "-p", "mckinley")
    assert ran.code == 2
    assert "error[M726]" in ran.err


def test_a_cipher_on_an_in_order_processor_always_takes_its_schedule(capsys: pytest.CaptureFixture[str]) -> None:
    ran = assay(capsys, "simulate", "rijndael", "encrypt", "-p", "mckinley-paper", "--inputs", "20", "--json")
    found = ran.json
    assert found["distribution"]["min"] == found["distribution"]["max"] == found["cycles"]
    assert (found["distribution"]["inputs"], found["distribution"]["cause"]) == (20, "")


def test_banks_spread_the_cycles_of_a_cipher_with_tables(capsys: pytest.CaptureFixture[str]) -> None:
    ran = assay(capsys, "simulate", "rijndael", "encrypt", "-p", "pa8500", "--inputs", "100", "--json")
    found = ran.json["distribution"]
    assert found["min"] < found["average"] < found["max"]
    assert found["cause"] == "conflicts of banks of the data cache"
    again = assay(capsys, "simulate", "rijndael", "encrypt", "-p", "pa8500", "--inputs", "100", "--json")
    assert again.json["distribution"] == found


def test_options_of_texts_and_of_ciphers_do_not_mix(capsys: pytest.CaptureFixture[str]) -> None:
    ran = assay(capsys, "simulate", "rijndael", "encrypt", "-p", "pa8500", "--argument", "1")
    assert (ran.code, ran.err) == (2, "error[M723]: --argument and --memory are for a text of its own\n")
    ran = assay(capsys, "simulate", "rijndael.s", "-p", "pa8500", "--inputs", "5")
    assert (ran.code, ran.err) == (
        2,
        "error[M736]: --inputs is for a cipher's operation\n   = help: name it after the cipher\n",
    )
    ran = assay(capsys, "simulate", "rijndael", "-p", "pa8500")
    assert ran.err == (
        "error[M724]: there is no file `rijndael`\n   = help: of a cipher, name the operation, too: encrypt, …\n"
    )


def test_what_cannot_be_given_or_shown(tmp_path: Path) -> None:
    assert refusal(UsageError, shown.arguments_of, ["0x10", "x"], 64) == (
        "error[M728]: an argument is no number: invalid literal for int() with base 0: 'x'\n"
        "   = help: decimal or 0x…"
    )
    long: Any = SimpleNamespace(events=range(20_001))
    assert refusal(UsageError, shown.write_page, tmp_path / "page.html", long, "", "") == (
        "error[M727]: a page of 20,001 operations is too large: 20,000 at most\n"
        "   = help: the text's own loops can be shortened; `--timeline` prints the first operations"
    )
