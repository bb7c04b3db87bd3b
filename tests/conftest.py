"""What every test shares: the markers, and that no kept golden text is left over."""

from __future__ import annotations

import os
from typing import Any

import pytest

import golden

_asked_by_workers: set[str] = set()


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "golden: compares with kept texts; `make bless` keeps new ones")
    config.addinivalue_line(
        "markers", "slow: another of its kind runs every time; `make test-all` runs it, too"
    )
    if config.pluginmanager.hasplugin("xdist"):
        config.pluginmanager.register(_Workers())


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if not os.environ.get("ASSAY_SLOW"):
        for item in items:
            if item.get_closest_marker("slow"):
                item.add_marker(pytest.mark.skip(reason="slow: `make test-all` runs it"))


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
