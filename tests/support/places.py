"""Where things lie that tests read."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).parents[2]
"""The repository."""
SOURCE = ROOT / "python"
EXAMPLES = ROOT / "examples"
TESTS = ROOT / "tests"
DATA = TESTS / "data"
SHARED = ROOT.parent / "shared"
"""Papers and vectors that may lie beside the repository; tests that need them are skipped without."""
