from __future__ import annotations

from collections.abc import Iterator

import pytest

from cipherassay import tools
from support.explorer import Running, explorer


@pytest.fixture(scope="session")
def built_page() -> None:
    """Skip where the page is not built."""
    from cipherassay.explorer.server import STATIC

    if not (STATIC / "page.js").is_file():
        pytest.skip("the explorer's page is not built: bash scripts/explorer/build")


@pytest.fixture(scope="module")
def served(built_page: None) -> Iterator[Running]:
    """An explorer with little time and memory for descriptions."""
    tools.require_packages("starlette", "uvicorn")
    with explorer(options=["--seconds", "2", "--memory", "0.25"]) as running:
        yield running
