"""What results depend on: each kind of input is changed in a copy of the package; just the dependents are stale."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

import cipherassay
from cipherassay.jobs import Producer
from support.places import ROOT

PACKAGE = Path(cipherassay.__file__).parent

DIGESTS = """
import json, sys
from cipherassay import strategies
from cipherassay.ciphers import load
from cipherassay.embedded import rows as embedded
from cipherassay.jobs import Producer, producer
from cipherassay.jobs.digests import digest
from cipherassay.native import measuring
from cipherassay.native.measurement import Settings
from cipherassay.native.selection import Selection
from cipherassay.native.session import Tolerance
from cipherassay.processors import load as processor, rows
from cipherassay.processors.kernel import Choice
from cipherassay.processors.requests import Request
from cipherassay.circuits import report_jobs as circuits
from cipherassay.report import verifying
from cipherassay.x86.report_list import requests

known = producer.crate_digests()
changed = {name: text + "changed" for name, text in known.items() if name in json.loads(sys.argv[1])}
producer.crate_digests = lambda: known | changed
ciphers = {name: load(name) for name in ("rc6", "e2")}
found = {}
for name, cipher in ciphers.items():
    for job in verifying.jobs(cipher):
        found[job.name] = job
    selection = Selection(cipher, strategies.preferred(cipher), "", cipher.key_bits[:1])
    for job in measuring.jobs([selection], Settings(10, 3), Tolerance(0)):
        found[job.name] = job
    for model, strategy in (("pa8500", "straight"), ("mckinley-paper", "as-compiled")):
        request = Request(cipher, "encrypt", processor(model), choice=Choice(strategy))
        found[f"kernel/{model}/{name}"] = rows.job(request)
    for small in ("avr", "mcs51"):
        found[f"embedded/{small}/{name}"] = embedded.job(cipher, 128, small, False)
    found[f"x86/{name}"] = next(one for one in requests([cipher]) if one.operation == "encrypt").job()
found["circuits"] = circuits.circuit_job()
json.dump({name: digest(job.inputs()) for name, job in found.items() if job.inputs}, sys.stdout)
"""


class Copy:
    """The package in another folder, where its files can be changed."""

    def __init__(self, root: Path) -> None:
        self.root = root
        shutil.copytree(PACKAGE, root / "cipherassay")  # with what is compiled of files that do not change
        self.before = self.digests()

    def digests(self, crates: tuple[str, ...] = ()) -> dict[str, str]:
        """Return the digest of every job's inputs; some crates of the engine count as changed."""
        environment = os.environ | {
            "PYTHONPATH": str(self.root), "CIPHERASSAY_CACHE": str(self.root / "cache"),
            "PYTHONDONTWRITEBYTECODE": "1",
        }  # fmt: skip
        command = [sys.executable, "-c", DIGESTS, json.dumps(crates)]
        ran = subprocess.run(
            command, env=environment, cwd=self.root, capture_output=True, text=True, timeout=300, check=False
        )
        assert ran.returncode == 0, ran.stderr
        found: dict[str, str] = json.loads(ran.stdout)
        return found

    def stale(self, change: Callable[[str], str], *files: str) -> set[str]:
        """Return the names of the jobs whose inputs change with files; the files are put back."""
        paths = [self.root / "cipherassay" / file for file in files]
        texts = [path.read_text(encoding="utf-8") for path in paths]
        try:
            for path, text in zip(paths, texts, strict=True):
                changed = change(text)
                assert changed != text
                path.write_text(changed, encoding="utf-8")
            return self.differing(self.digests())
        finally:
            for path, text in zip(paths, texts, strict=True):
                path.write_text(text, encoding="utf-8")

    def differing(self, after: dict[str, str]) -> set[str]:
        """Return the names of the jobs whose inputs are others than before."""
        assert after.keys() == self.before.keys()
        return {name for name, text in after.items() if text != self.before[name]}


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Copy:
    return Copy(tmp_path_factory.mktemp("copy"))


def of(copy: Copy, *words: str) -> set[str]:
    """Return the names of the jobs that have one of the words."""
    return {name for name in copy.before if any(word in name for word in words)}


def replaced(old: str, new: str) -> Callable[[str], str]:
    return lambda text: text.replace(old, new, 1)


def test_comments_and_docstrings_change_nothing(copy: Copy) -> None:
    def comment(text: str) -> str:
        return f"# A comment.\n{text}".replace('"""Return', '"""Now return', 1)

    files = ("embedded/target.py", "processors/rows.py", "native/session.py", "lang/cipher.py")
    assert copy.stale(comment, *files) == set()


def test_a_description_that_gives_the_same_program(copy: Copy) -> None:
    """Where the program is among the inputs nothing is stale; the second file of a cipher counts as well."""
    stale = copy.stale(lambda text: text + "\nANOTHER = 1\n", "ciphers/_e2_words.py")
    assert stale == of(copy, "embedded/avr/e2", "embedded/mcs51/e2", "x86/e2")


def test_a_description(copy: Copy) -> None:
    assert copy.stale(replaced("0xB7E15163", "0xB7E15165"), "ciphers/rc6.py") == of(copy, "rc6")


def test_a_strategy(copy: Copy) -> None:
    stale = copy.stale(replaced("passes = [", 'passes = ["unroll", '), "strategies/as-compiled.toml")
    # RC6 is unrolled by it already. The Pentiums' best code is searched among all strategies.
    assert stale == {"kernel/mckinley-paper/e2"} | of(copy, "x86/")


def test_a_processor_s_record(copy: Copy) -> None:
    stale = copy.stale(replaced("title = ", 'title = "another" # '), "processors/pa8500.toml")
    assert stale == of(copy, "kernel/pa8500")


def test_known_answers(copy: Copy) -> None:
    stale = copy.stale(replaced("I=1", "I=2"), "vectors/data/rc6/ecb_vt.txt")
    assert stale == of(
        copy, "kernel/mckinley-paper/rc6", "kernel/pa8500/rc6", "embedded/avr/rc6", "embedded/mcs51/rc6",
        "x86/rc6", "known-answers/rc6/evaluator/ecb_vt", "known-answers/rc6/c-shortest-chains/ecb_vt",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("crate", "words"),
    [
        ("source", ()),  # the C that it writes is among the inputs, and is the same
        ("processor", ("kernel/", "x86/")),
        ("circuit", ("kernel/", "x86/", "embedded/", "evaluator/", "circuits")),
    ],
)
def test_a_crate_of_the_engine(copy: Copy, crate: str, words: tuple[str, ...]) -> None:
    assert copy.differing(copy.digests(dependents(crate))) == of(copy, *words)


def dependents(crate: str) -> tuple[str, ...]:
    """Return a crate and those that depend on it: their digests change with its code."""
    listed = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["dependencies"]
    folders = {name: Path(one["path"]).name for name, one in listed.items() if "path" in one}
    found, needs = {crate}, {}
    for path in (ROOT / "crates").glob("*/Cargo.toml"):
        known = tomllib.loads(path.read_text()).get("dependencies", {})
        needs[path.parent.name] = {folders[name] for name in known if name in folders}
    while more := {name for name, deps in needs.items() if deps & found} - found:
        found |= more
    return tuple(sorted(found))


@pytest.mark.parametrize(
    ("file", "words"),
    [
        ("embedded/processors/avr/text.py", ("embedded/avr",)),
        ("native/session.py", ("native/measure",)),
        ("processors/checking.py", ("kernel/",)),
        ("x86/kept.py", ("x86/",)),
    ],
)
def test_a_module_of_a_producer(copy: Copy, file: str, words: tuple[str, ...]) -> None:
    assert copy.stale(lambda text: text + "\nANOTHER = 1\n", file) == of(copy, *words)


def test_inputs_cannot_hide_the_code() -> None:
    with pytest.raises(ValueError, match="hide those of its code: {'code'}"):
        Producer("any", 1, ("cipherassay.jobs.code",)).inputs(code="x")
