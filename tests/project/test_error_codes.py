"""Error codes: each is named in a test, and each stands for one error."""

from __future__ import annotations

import re
from pathlib import Path

from scripts.documents.error_codes import CODE, in_rust, quoted, raised, rust

from cipherassay import remedies
from support.command import verbs
from support.places import ROOT, TESTS

ONE_RULE = {
    "C113": "a limit of levels cannot be kept: of one output, or of all together",
    "D016": "what a file raises: an exception at its line, or an interruption between lines",
    "D027": "a call that ends the command, by its name",
    "E121": "a tool refuses what is given to it, by its name",
    "E123": "a function does not return, in which simulator",
    "E124": "code does not fit a processor, by its name",
    "E130": "code gives a wrong result, in which simulator",
    "E131": "an instruction that is not known: as text, as record, as code",
    "H104": "an element of an array that was never written: it is read, or returned",
    "H215": "the program has no function that takes what the machine gives it",
    "H219": "the clock counts of a design are none",
    "H309": "round keys that cannot be made on the fly: what the schedule lacks, or data choose among them",
    "H310": "a key schedule that cannot be run backwards: no way back, or no output that gives a word",
    "H313": "a number of copies that a device cannot have",
    "H511": "files of a device that cannot be run: not by that simulator, or not that device's",
    "K034": "NIST's rules do not apply: there is no key, or there is a tweak",
    "K009": "a field that a record of its kind does not have",
    "L221": "a table is expected where there is none",
    "M002": "there is no processor of that name: said by the families, or by the engine",
    "M032": "a fact has no source",
    "M033": "the registers of a processor contradict each other",
    "M204": "a processor has no instruction for what is computed, or for what is stored",
    "M300": "what is passed to the engine cannot be read",
    "M507": "no port takes an instruction: of a slot, or at all",
    "M604": "a program under an emulator fails: it ends with an error, or not in time",
    "M605": "an access that the architecture forbids",
    "P001": "the text leaves the grammar",
    "P002": "a name that is not defined",
    "P003": "a name that is defined twice",
    "P004": "an iteration of a loop without a body, with two, or outside of the loop",
    "P201": "an unwritten cell is read, or returned",
    "P204": "an argument that does not fit",
    "S015": "an option that names nothing of the program",
    "X101": "an operation that code for x86-32 has no way for yet",
    "X102": "an index that is no single word",
    "X103": "an address that code for x86-32 has no way for yet",
    "X104": "a result that lies where something else does",
} | {f"P{n}": "the invariant of the verifier with that number" for n in range(101, 121)}
"""The codes whose messages differ by what breaks the one rule that they stand for."""


def named() -> set[str]:
    """Return the codes that tests and golden texts name."""
    texts = [tests for _, tests in rust().values()]
    kept = [path for path in TESTS.rglob("*") if path.suffix in (".py", ".txt")]
    texts += [path.read_text(encoding="utf-8") for path in kept if path != Path(__file__)]
    return {code for text in texts for code in CODE.findall(text)}


def test_codes_are_found() -> None:
    assert len(raised()) > 700
    assert raised().keys() <= quoted()
    assert list(in_rust('Err(Fault::new("C104", format!("no {x} here")).at("C105", line, "b").help("c {d}"))')) == [
        ("C104", "no {} here", ""),
        ("C105", "b", "c {}"),
    ]


def test_every_code_is_named_in_a_test() -> None:
    assert sorted(quoted() - named()) == []


def test_a_code_stands_for_one_error() -> None:
    several = {code: {one.message for one in found} for code, found in raised().items()}
    several = {code: messages for code, messages in several.items() if len(messages) > 1}
    assert {code: messages for code, messages in several.items() if code not in ONE_RULE} == {}
    left = {
        "P110",
        "P115",
        "P117",
        "P120",
    }  # invariants with one message, or whose messages are made elsewhere
    assert sorted(ONE_RULE.keys() - several.keys() - left) == [], "these have one message by now"


def test_every_code_has_a_way_to_mend_it() -> None:
    assert {code[: remedies.PREFIX] for code in quoted()} == set(remedies.groups())


def test_remedies_name_what_there_is() -> None:
    known = {" ".join(path) for path, _ in verbs()}
    for name, group in remedies.groups().items():
        assert group.mend.endswith("."), name
        for document in re.findall(r"docs/[\w.-]+\.md", group.mend):
            assert (ROOT / document).is_file(), document
        for words in re.findall(r"`assay ((?:[a-z]+ ?)+)", group.mend):
            verb = words.split()[0]
            assert verb == "help" or any(one.split()[0] == verb for one in known), (name, words)
