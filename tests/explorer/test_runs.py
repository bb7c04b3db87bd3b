"""Descriptions that are run: what is shown of them, and what they may take."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import Any

import pytest

from support.explorer import Running, explorer
from support.processes import soon_dead
from support.small_cipher import TEXT

PANELS = ["checks", "program", "operations", "c", "assembly", "rtl"]
LOOP = "\nwhile True: pass\n"
HOG = "\nheld = [bytearray(1 << 24) for _ in range(1 << 12)]\n"


def of(messages: list[dict[str, Any]], panel: str, kind: str) -> list[Any]:
    return [one["content"] for one in messages if one.get("panel") == panel and one["kind"] == kind]


def error(served: Running, text: str, **given: Any) -> dict[str, Any]:
    (found,) = of(served.run(text, **given), "program", "error")
    return dict(found)


def test_the_catalogue_names_panels_targets_and_documents(served: Running) -> None:
    known = served.get("api/catalogue").json()
    assert [one["name"] for one in known["panels"]] == PANELS
    processors = next(one for one in known["panels"] if one["name"] == "assembly")["options"][0]["values"]
    assert len(processors) > 10
    from cipherassay import ciphers, coverage

    assert [one["name"] for one in known["targets"]] == [one.name for one in coverage.levels()]
    assert [one["name"] for one in known["documents"]] == ciphers.names()


def test_every_panel_is_made(served: Running) -> None:
    messages = served.run(TEXT, panels=PANELS)
    assert [one for one in messages if one["kind"] in ("error", "bug")] == []
    assert {one["panel"] for one in messages if one["kind"] == "done"} == set(PANELS)
    states = {one["what"]: one["state"] for one in of(messages, "checks", "verdict")}
    assert states["compiles"] == "pass"
    assert states["decrypt∘encrypt"] == "pass"
    assert states["known answers"] == "missing"
    (facts,) = of(messages, "program", "facts")
    assert (facts["key_sizes"], facts["key_bits"], facts["operations"]) == ([128, 192, 256], 128, ["encrypt", "decrypt"])
    for panel in ("program", "c", "assembly", "rtl"):
        (shown,) = of(messages, panel, "text")
        assert len(shown["lines"]) == len(shown["text"].splitlines())
        tied = {line for lines in shown["lines"] for line in lines}
        round_line = TEXT.splitlines().index("        A = A ^ S[i]") + 1
        assert round_line in tied, panel
        assert max(tied) <= len(TEXT.splitlines())


def test_options_choose(served: Running) -> None:
    options = {"key_bits": "256", "operation": "decrypt", "rtl.language": "vhdl", "rtl.architecture": "pipelined"}
    messages = served.run(TEXT, panels=["program", "rtl", "assembly"], options=options)
    (facts,) = of(messages, "program", "facts")
    assert (facts["key_bits"], facts["operation"]) == (256, "decrypt")
    (rtl,) = of(messages, "rtl", "text")
    assert rtl["language"] == "vhdl"
    assert "entity small_pipelined_256 is" in rtl["text"]
    (assembly,) = of(messages, "assembly", "text")
    assert ["operation", "decrypt"] in assembly["facts"]


def test_options_that_a_description_lacks_are_its_defaults(served: Running) -> None:
    messages = served.run(TEXT, options={"key_bits": "80", "operation": "permute", "program.strategy": "none"})
    (facts,) = of(messages, "program", "facts")
    assert (facts["key_bits"], facts["operation"]) == (128, "encrypt")


def test_an_error_has_its_place(served: Running) -> None:
    found = error(served, TEXT.replace("for i in rounds(3):", "for i in rounds(3)"))
    assert found["code"] == "D016"
    assert found["places"][0][:2] == ["mine.py", TEXT.splitlines().index("    for i in rounds(3):") + 1]
    found = error(served, TEXT.replace("A = A ^ S[i]\n        A, B", "A = B if A else A\n        A, B"))
    assert found["places"][0][:2] == ["mine.py", TEXT.splitlines().index("        A = A ^ S[i]") + 1]
    assert "select" in found["help"]


def test_a_verdict_fails_at_its_place(served: Running) -> None:
    messages = served.run(TEXT.replace("rotl(A, 3)", "rotl(A, 4)"), panels=["checks"])
    failed = [one for one in of(messages, "checks", "verdict") if one["state"] == "fail"]
    assert [one["what"] for one in failed] == ["source", "citations", "decrypt∘encrypt"]


def test_known_answers_of_the_cipher_that_it_began_as(served: Running) -> None:
    found = served.get("api/document/rc6").json()
    for text, state in ((found["text"], "pass"), (found["text"].replace("lg_w = 32, 20", "lg_w = 32, 18"), "fail")):
        messages = served.run(text, stem="rc6", origin="rc6", panels=["checks"])
        answers = [one for one in of(messages, "checks", "verdict") if one["what"] == "known answers"]
        assert len(answers) >= 2
        assert {one["state"] for one in answers} == {state}, answers


def test_known_answers_beside_a_file(built_page: None) -> None:
    from support.places import EXAMPLES

    with explorer([EXAMPLES / "speck.py"]) as served:
        first = served.get("api/catalogue").json()["documents"][0]
        assert (first["title"], first["own"]) == ("speck.py", True)
        found = served.get(f"api/document/{first['name']}").json()
        assert found["text"] == (EXAMPLES / "speck.py").read_text()
        messages = served.run(found["text"], stem="speck", origin=first["name"], panels=["checks"])
    answers = [one for one in of(messages, "checks", "verdict") if one["what"] == "known answers"]
    assert [one["state"] for one in answers] == ["pass"]


def test_a_description_that_does_not_end(served: Running) -> None:
    begin = time.monotonic()
    found = error(served, TEXT + LOOP)
    assert found["code"] == "D028"
    assert found["places"][0][:2] == ["mine.py", TEXT.count("\n") + 2]
    assert "`assay --seconds N …`" in found["help"]
    assert time.monotonic() - begin < 20


def test_a_description_that_takes_all_memory(served: Running) -> None:
    assert error(served, TEXT + HOG)["code"] == "D029"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("import os; os._exit(0)", "D027"),
        ("import sys; sys.exit(3)", "D027"),
        ("input()", "D036"),
        ("open('/etc/passwd').read()", "D098"),
        ("open('/tmp/x', 'w')", "D099"),
        ("import subprocess; subprocess.run(['true'])", "D100"),
        ("raise KeyboardInterrupt", "D016"),
        ("import nothing_of_this_name", "D016"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)", "W008"),
    ],
)
def test_what_a_description_may_not_do(served: Running, text: str, code: str) -> None:
    assert error(served, f"{TEXT}\n{text}\n")["code"] == code


def test_the_process_of_a_description_that_ends_is_told(served: Running) -> None:
    found = error(served, TEXT + "\nimport os, signal\nos.kill(os.getpid(), signal.SIGKILL)\n")
    assert found == {
        "class": "DescriptionError", "code": "W008",
        "message": "the process that runs `mine.py` was ended by the signal SIGKILL", "places": [],
        "notes": ["so it is where memory ends"],
        "help": "a cipher's file only describes; `assay --memory GB explore` allows more memory",
    }  # fmt: skip
    assert error(served, "x = 1")["code"] == "D024"  # the next one runs


def test_runs_know_nothing_of_each_other(served: Running) -> None:
    leaving = TEXT + "\nimport builtins\nbuiltins.rounds_left = True\n"
    served.run(leaving)
    found = error(served, TEXT + "\nrounds_left\n")
    assert "name 'rounds_left' is not defined" in found["message"]


def test_there_is_nothing_of_that_name(served: Running) -> None:
    import json

    from support.explorer import request

    for changed, code in (({"panels": ["prog"]}, "W004"), ({"targets": ["aver"]}, "W004"), ({"origin": "rc66"}, "W003")):
        answer = served.post(json.dumps(request("x", **changed)).encode())
        assert (answer.status_code, answer.json()["error"]["code"]) == (400, code)
    answer = served.get("api/document/rc66")
    assert (answer.status_code, answer.json()["error"]["message"]) == (404, "there is no document `rc66`")
    answer = served.post(json.dumps(request("x", panels=["prog"])).encode())
    assert answer.json()["error"]["message"] == "there is nothing called `prog`"


def test_a_newer_text_ends_what_runs_of_the_older(served: Running) -> None:
    ended = threading.Event()
    messages: list[dict[str, Any]] = []

    def older() -> None:
        messages.extend(served.run(TEXT + LOOP, tab="one", panels=["program", "c", "rtl"]))
        ended.set()

    threading.Thread(target=older).start()
    forks = waited(served)
    begin = time.monotonic()
    newer = served.run(TEXT, tab="one", panels=["program", "c", "rtl"])
    assert [one for one in newer if one["kind"] == "error"] == []
    assert ended.wait(10)
    assert time.monotonic() - begin < 8
    assert messages == []
    assert all(soon_dead(fork) for fork in forks)


def test_two_pages_do_not_end_each_other(served: Running) -> None:
    found: dict[str, list[dict[str, Any]]] = {}

    def page(tab: str) -> None:
        found[tab] = served.run(TEXT, tab=tab, panels=PANELS)

    pages = [threading.Thread(target=page, args=(tab,)) for tab in ("first", "second")]
    for one in pages:
        one.start()
    for one in pages:
        one.join()
    for messages in found.values():
        assert {one["panel"] for one in messages if one["kind"] == "done"} == set(PANELS)


def waited(served: Running) -> list[int]:
    """Return the forks as soon as there are some."""
    end = time.monotonic() + 10
    while not (forks := served.forks()):
        assert time.monotonic() < end
        time.sleep(0.01)
    return forks


def test_a_page_that_goes_away_ends_its_runs(served: Running) -> None:
    import httpx

    from support.explorer import request

    forks = []
    with httpx.Client(timeout=60) as client, client.stream(
        "POST", served.url + "api/run", json=request(TEXT + LOOP, panels=["program"]),
        headers={"origin": served.origin},
    ) as answer:  # fmt: skip
        assert answer.status_code == 200
        forks = waited(served)
    assert all(soon_dead(fork) for fork in forks)


def test_ctrl_c_ends_everything(built_page: None) -> None:
    with explorer() as served:
        client = threading.Thread(target=lambda: quietly(served, TEXT + LOOP))
        client.start()
        forks = waited(served)
    assert served.process.returncode in (0, 130)
    client.join(10)
    assert all(soon_dead(fork) for fork in forks)


def quietly(served: Running, text: str) -> None:
    import contextlib

    import httpx

    with contextlib.suppress(httpx.HTTPError):
        served.run(text)


def test_costs_are_made_each_on_its_own(served: Running) -> None:
    targets = ["cortex-m3", "iterative-verilog", "circuit"]
    messages = served.run(TEXT, panels=[], targets=targets)
    costs = {one["target"]: one for one in messages if one["kind"] in ("cost", "error")}
    assert set(costs) == set(targets)
    cycles = costs["cortex-m3"]["content"]
    assert cycles["value"] > 0
    assert (cycles["unit"], cycles["basis"]) == ("cycles", "simulated")
    assert costs["circuit"]["content"]["value"] is None
    assert costs["circuit"]["content"]["code"]


def test_nothing_of_a_run_stays(built_page: None, tmp_path: Path) -> None:
    with explorer(TMPDIR=str(tmp_path)) as served:
        served.run(TEXT, panels=["program", "rtl"])
        served.run(TEXT + "\nx", panels=["program"])
    assert list(tmp_path.iterdir()) == []
