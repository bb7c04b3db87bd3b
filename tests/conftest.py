"""What every test shares: the markers, and that no kept golden text is left over."""

from __future__ import annotations

import os
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from cipherassay import keeping, strategies, tools
from support import golden

_asked_by_workers: set[str] = set()


def pytest_configure(config: pytest.Config) -> None:
    os.environ.setdefault("ASSAY_PROGRESS", "off")  # what tests compare does not depend on how long it took
    config.addinivalue_line("markers", "golden: compares with kept texts; `make bless` keeps new ones")
    config.addinivalue_line(
        "markers", "slow: another of its kind runs every time; `make test-all` runs it, too"
    )
    if config.pluginmanager.hasplugin("xdist"):
        config.pluginmanager.register(_Workers())


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if os.environ.get("ASSAY_SLOW"):
        return
    slow = [item for item in items if item.get_closest_marker("slow")]
    config.hook.pytest_deselected(items=slow)
    items[:] = [item for item in items if not item.get_closest_marker("slow")]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Any:
    """Where everything is required, what is skipped has failed, but for what the setup cannot bring."""
    report = yield
    reason = _reason(report)
    required = os.environ.get("ASSAY_REQUIRE") == "all" and not (_not_installed(reason) or _no_instructions(reason))
    if report.skipped and required and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
        report.longrepr = f"skipped, though ASSAY_REQUIRE=all: {_reason(report)}"
    return report


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Say in one line what was not tested and why."""
    reasons = Counter(_reason(report) for report in terminalreporter.stats.get("skipped", ()))
    if reasons:
        listed = "; ".join(f"{reason} ({count})" for reason, count in sorted(reasons.items()))
        terminalreporter.write_line(f"not tested: {listed}")


def _not_installed(reason: str) -> bool:
    """Whether a reason names a tool that is nothing that tests need: the set-up leaves it to the user."""
    unused = (name for name, tool in tools.tools().items() if "test" not in tool.used_by)
    return any(re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", reason) for name in unused)


def _no_instructions(reason: str) -> bool:
    """Whether a reason says of each compiler alone that this processor lacks instructions."""
    return all("this processor has no" in part for part in reason.split("; "))


def _reason(report: Any) -> str:
    found = report.longrepr
    text = found[2] if isinstance(found, tuple) else str(found)
    return str(text).removeprefix("Skipped: ")


@pytest.fixture(autouse=True)
def _no_artefacts_of_the_user(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(keeping.VARIABLE, raising=False)


@pytest.fixture
def own_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an empty folder in the place of all kept artefacts."""
    strategies.circuits()  # read once a process: not from the empty folder, for the tests that follow
    monkeypatch.setattr(keeping, "PACKAGE", tmp_path / "package")
    monkeypatch.setenv(keeping.VARIABLE, str(tmp_path / "kept"))
    return tmp_path / "kept"


class _Workers:
    """Collects, where tests run in parallel, what each worker asked for."""

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        _asked_by_workers.update(getattr(node, "workeroutput", {}).get("golden", ()))


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    config = session.config
    if hasattr(config, "workeroutput"):
        config.workeroutput["golden"] = sorted(golden.asked)
        return
    whole = not (config.option.keyword or config.option.markexpr) and config.args in (["tests"], [])
    left_over = golden.kept() - golden.asked - _asked_by_workers
    if whole and exitstatus == 0 and left_over:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
        text = f"golden texts that no test asks for (remove them): {', '.join(sorted(left_over))}"
        config.get_terminal_writer().line(f"\n{text}", red=True)
