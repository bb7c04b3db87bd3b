"""Former names of commands and options are answered with the present ones."""

from __future__ import annotations

import shlex

import pytest

from cipherassay.console.renamed import COMMANDS, OPTIONS
from support.command import assay, verbs

Capture = pytest.CaptureFixture[str]


@pytest.mark.parametrize(
    ("typed", "was", "new", "now"),
    [
        ("schedule rijndael -p pa8500", "schedule", "measure", "measure rijndael -p pa8500"),
        (
            "schedule rc6 encrypt -p ia64pp --specialize-key 00", "schedule", "measure",
            "measure rc6 --operation encrypt -p ia64pp --key 00",
        ),
        (
            "simulate-rtl rc6 --key 3in1 --store", "simulate-rtl", "simulate --rtl",
            "simulate --rtl rc6 --key-bits 3in1 --keep",
        ),
        ("what-if epic --instruction f.toml", "what-if", "study what-if -p", "study what-if -p epic --instruction f.toml"),
        ("compare libraries --cipher aes", "compare libraries", "compare", "compare aes"),
        ("published check --json", "published check", "check", "check published --json"),
        ("processor check avr", "processor check", "check", "check avr"),
        ("circuit verify serpent", "circuit verify", "verify circuits", "verify circuits serpent"),
        ("new cipher 'My cipher'", "new cipher", "new", "new 'My cipher'"),
    ],
)  # fmt: skip
def test_former_commands(typed: str, was: str, new: str, now: str, capsys: Capture) -> None:
    ran = assay(capsys, *shlex.split(typed))
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == f"error[U060]: `{was}` is `{new}` now\n   = help: assay {now}\n"


@pytest.mark.parametrize(
    ("typed", "option", "new"),
    [
        ("measure rc6 --target avr", "--target", "`--processor`"),
        ("emit rtl rc6 --key 128", "--key", "`--key-bits`"),
        ("synthesize rc6 --store", "--store", "`--keep`"),
        ("compare --cipher aes", "--cipher", "an argument"),
    ],
)
def test_former_options(typed: str, option: str, new: str, capsys: Capture) -> None:
    ran = assay(capsys, *typed.split())
    verb = " ".join(word for word in typed.split(option)[0].split() if word not in ("rc6", "aes"))
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == (
        f"error[U061]: `{option}` of `assay {verb}` is {new} now\n"
        f"   = help: `assay {verb} --help` shows what it takes\n"
    )


def test_what_is_said_exists() -> None:
    known = {
        " ".join(path): {name for one in verb.params for name in (*one.opts, *one.secondary_opts)}
        for path, verb in verbs()
    }
    for one in COMMANDS:
        words = [word for word in one.new.split() if not word.startswith("-")]
        assert any(" ".join(words[:n]) in known for n in (1, 2)), one
        assert one.old not in known
    for verb, options in OPTIONS.items():
        assert all(new in known[verb] or not new for new in options.values()), verb
        assert not known[verb] & options.keys(), verb
