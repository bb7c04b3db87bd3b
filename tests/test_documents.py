"""The Python code in the documents runs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize(
    "name",
    [
        "docs/byte-orders.md",
        "docs/circuits.md",
        "docs/inverses.md",
        "docs/language.md",
        "docs/linear-layers.md",
    ],
)
def test_python_blocks_run(name: str) -> None:
    blocks = re.findall(r"^```python\n(.*?)^```$", (ROOT / name).read_text(), re.DOTALL | re.MULTILINE)
    assert blocks
    namespace: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, name, "exec"), namespace)
