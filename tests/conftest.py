"""What every test shares: the golden marker, and that no kept golden text is left over."""

from __future__ import annotations

from typing import Any

import pytest

import golden

_asked_by_workers: set[str] = set()


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "golden: compares with kept texts; `make bless` keeps new ones")
    if config.pluginmanager.hasplugin("xdist"):
        config.pluginmanager.register(_Workers())


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
