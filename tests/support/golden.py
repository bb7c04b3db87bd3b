"""Golden texts: what a test produces is compared with a kept file; `make bless` keeps what comes out now.

    def test_something() -> None:
        golden("folder/name.txt", text)

The files lie under ``tests/golden``. Mark a test that uses them with ``@pytest.mark.golden``, so that
`make bless` runs it. A kept file that no test asks for any more fails the run (``conftest.py``).
"""

from __future__ import annotations

import difflib
import os

from support.places import TESTS

FOLDER = TESTS / "golden"
asked: set[str] = set()
"""The names that the tests of this process asked for."""


def kept() -> set[str]:
    """Return the names of all kept texts."""
    return {str(path.relative_to(FOLDER)) for path in FOLDER.rglob("*") if path.is_file()}


def golden(name: str, text: str) -> None:
    """Compare `text` with the kept file ``tests/golden/NAME``, or keep it when blessing."""
    path = FOLDER / name
    asked.add(name)
    if os.environ.get("ASSAY_BLESS"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return
    kept = path.read_text() if path.exists() else ""
    if kept != text:
        lines = difflib.unified_diff(
            kept.splitlines(), text.splitlines(), f"kept {name}", f"now {name}", lineterm="", n=2
        )
        shown = list(lines)
        more = [f"… {len(shown) - 60} more lines"] if len(shown) > 60 else []
        raise AssertionError(
            "\n".join([f"{name} is not as kept; `make bless` accepts what comes out now", *shown[:60], *more])
        )
