"""The wheel in a fresh environment outside the checkout, without Rust: the base alone, then with extras.

`make wheel-test` builds dist/ and runs this; the packages that the wheel needs come from the package index.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path
from typing import Any

import pytest

from cipherassay import keeping
from support import emitted_folders
from support.command import start
from support.places import EXAMPLES, ROOT, SOURCE

pytestmark = pytest.mark.slow
DIST = ROOT / "dist"
BASE_MEGABYTES = 60
KERNELS = (("e2", "decrypt", "-p", "four-banger", "--loop"), ("rijndael", "encrypt", "-p", "mckinley-paper"))
"""Kernels to schedule; the first has a region whose proof only a kept schedule brings."""


def built(pattern: str) -> Path:
    found = sorted(DIST.glob(pattern), key=lambda path: path.stat().st_mtime)
    if not found:
        pytest.skip(f"there is no dist/{pattern}: `make wheel` builds it")
    return found[-1]


def test_the_wheel_holds_what_it_should_and_no_more() -> None:
    names = zipfile.ZipFile(built("*.whl")).namelist()
    for kind in keeping.SCHEMAS:
        here = {path.relative_to(SOURCE).as_posix() for path in keeping.every(kind, "**/*.*")}
        assert here
        assert here <= set(names), kind
    assert "cipherassay/py.typed" in names
    page = {f"cipherassay/explorer/{name}" for name in ("static/page.js", "static/LICENSES.txt", "page/index.html")}
    assert page <= set(names)
    assert {"LICENSE-MIT", "LICENSE-APACHE"} <= {Path(name).name for name in names}
    assert all(name.startswith("cipherassay") for name in names)
    assert not [name for name in names if "__pycache__" in name or Path(name).name.startswith(".")]
    assert "abi3" in built("*.whl").name


def test_the_source_distribution_holds_the_sources() -> None:
    with tarfile.open(built("*.tar.gz")) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    tracked = subprocess.run(
        ["git", "ls-files", "crates", "python", "tests", "docs", "examples"],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if tracked.returncode:
        pytest.skip("this is not a clone: git does not know the files")
    assert {name for name in tracked.stdout.split() if not Path(name).name.startswith(".")} - names == set()
    assert {"Cargo.lock", "Makefile", "CHANGELOG.md", "CITATION.cff", "SECURITY.md", "LICENSE-MIT"} <= names


def test_the_source_distribution_sets_itself_up(tmp_path: Path) -> None:
    with tarfile.open(built("*.tar.gz")) as archive:
        archive.extractall(tmp_path, filter="data")
    (unpacked,) = tmp_path.iterdir()
    ran = subprocess.run(
        ["make", ".venv/.python"], cwd=unpacked, capture_output=True, text=True, check=False, timeout=900
    )
    assert ran.returncode == 0, ran.stderr
    assert (unpacked / ".venv" / "bin" / "maturin").exists()


class Installation:
    """The wheel in an environment of its own; commands run where neither the checkout nor Rust is seen."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.bin = folder / "venv" / "bin"
        subprocess.run([sys.executable, "-m", "venv", folder / "venv"], check=True)
        self.variables = {
            "PATH": f"{self.bin}:/usr/bin:/bin", "HOME": str(folder), "LANG": "C.UTF-8",
            "ASSAY_STORE": str(folder / "store"), "CIPHERASSAY_CACHE": str(folder / "cache"),
        }  # fmt: skip
        assert not shutil.which("cargo", path=self.variables["PATH"])
        assert not shutil.which("rustc", path=self.variables["PATH"])

    def install(self, what: str) -> None:
        command = [self.bin / "python", "-m", "pip", "install", "-q", "--disable-pip-version-check", what]
        subprocess.run(command, check=True, env={**os.environ, "PYTHONPATH": ""}, cwd=self.folder)

    def packages(self) -> Path:
        (found,) = (self.folder / "venv" / "lib").glob("python*/site-packages")
        return found

    def assay(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [self.bin / "assay", *arguments], cwd=self.folder, env=self.variables,
            capture_output=True, text=True, check=False,
        )  # fmt: skip

    def passed(self, *arguments: str) -> str:
        ran = self.assay(*arguments)
        assert ran.returncode == 0, (arguments, ran.stderr)
        return ran.stdout


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Installation:
    wheel = built("*.whl")
    made = Installation(tmp_path_factory.mktemp("wheel"))
    made.install(str(wheel))
    return made


def document(text: str) -> Any:
    return json.loads(text)


def test_the_base_is_small(installed: Installation) -> None:
    installer = ("pip", "setuptools", "pkg_resources", "_distutils", "distutils")
    folders = [path for path in installed.packages().iterdir() if not path.name.startswith(installer)]
    listed = subprocess.run(["du", "-smc", *folders], capture_output=True, text=True, check=True).stdout
    assert int(listed.splitlines()[-1].split()[0]) < BASE_MEGABYTES, listed
    assert not (installed.packages() / "numpy").exists()


def test_the_base_works(installed: Installation) -> None:
    folder = installed.folder
    assert installed.passed("--version").startswith("assay 0.2.")
    python = [installed.bin / "python", "-c", "import cipherassay; print(cipherassay.__version__)"]
    ran = subprocess.run(
        python, cwd=folder, env=installed.variables, capture_output=True, text=True, check=True
    )
    assert installed.passed("--version") == f"assay {ran.stdout}"
    assert "Serpent" in installed.passed("list")
    shutil.copy(EXAMPLES / "speck.py", folder)
    shutil.copy(EXAMPLES / "speck.kat.txt", folder)
    assert "pass" in installed.passed("check", "speck.py")
    assert "RC6" in installed.passed("show", "rc6")
    installed.passed("emit", "c", "speck.py", "-o", "c")
    assert not emitted_folders.run(folder / "c")
    installed.passed("verify", "circuits", "gift")


@pytest.mark.parametrize("kernel", KERNELS, ids=" ".join)
def test_schedules_and_proofs_are_those_of_the_checkout(
    installed: Installation, kernel: tuple[str, ...]
) -> None:
    here = start("schedule", *kernel, "--json")
    assert here.returncode == 0, here.stderr
    assert document(installed.passed("schedule", *kernel, "--json")) == document(here.stdout)


def test_kept_artefacts_are_verified(installed: Installation) -> None:
    found = document(installed.passed("verify", "circuits", "present", "--proofs", "--json"))
    assert (found["claims"], found["checked"], found["ok"]) == (2, 3, True)
    kept = document(installed.passed("verify", "kept", "exhaustion", "proofs", "--json", "--quiet"))
    assert kept["counts"]["proofs"]["holds"] == len(keeping.every("proofs", "*/*.json"))
    assert all(one["path"].startswith(str(installed.packages())) for one in kept["artefacts"])


def test_what_is_kept_goes_to_the_user_s_folder(installed: Installation) -> None:
    text = installed.passed(
        "circuit", "prove", "gift.S", "--target", "ternary", "--metric", "gates", "--value", "4", "--keep"
    )
    place = installed.folder / ".local" / "share" / "cipherassay" / "kept"
    assert list((place / "proofs").rglob("*.json")), text


def test_with_extras(installed: Installation) -> None:
    ran = installed.assay("query", "select 1")
    assert ran.returncode == 5
    assert "pip install 'cipherassay[results]'" in ran.stderr
    installed.install(f"{built('*.whl')}[results]")
    count = document(installed.passed("query", "select count(*) as n from results", "--json"))["rows"][0]["n"]
    assert count > 1000
    found = document(installed.passed("verify", "kept", "layouts", "key_jumps", "--json", "--quiet"))
    assert found["counts"]["layouts"]["holds"] == len(keeping.every("layouts", "*.json"))
