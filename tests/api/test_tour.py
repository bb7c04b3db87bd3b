"""docs/python.md and the notebook examples/tour.ipynb run as they stand."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest

from cipherassay.results import sources
from support.places import EXAMPLES, ROOT, SOURCE

TOUR = EXAMPLES / "tour.ipynb"


def test_the_page_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for package in ("pandas", "altair"):
        pytest.importorskip(package)
    monkeypatch.setenv("ASSAY_STORE", str(tmp_path / "store"))
    monkeypatch.setattr(sources, "names", lambda: ["circuits", "hardware", "results"])
    blocks = re.findall(r"^```python\n(.*?)^```$", (ROOT / "docs" / "python.md").read_text(), re.DOTALL | re.MULTILINE)
    namespace: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, "python.md", "exec"), namespace)
    assert len(blocks) >= 5
    assert len(namespace["frame"]) > 20  # type: ignore[arg-type]


def test_the_notebook_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nbclient, nbformat = pytest.importorskip("nbclient"), pytest.importorskip("nbformat")
    pytest.importorskip("ipykernel")
    monkeypatch.setenv("ASSAY_STORE", str(tmp_path / "store"))
    monkeypatch.setenv("ASSAY_PROGRESS", "off")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(SOURCE), os.environ.get("PYTHONPATH", "")]))
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(tmp_path / "jupyter"))
    notebook = nbformat.read(TOUR, as_version=4)
    nbformat.validate(notebook)
    nbclient.NotebookClient(notebook, timeout=600, resources={"metadata": {"path": str(tmp_path)}}).execute()
    shown = [
        output["data"]
        for cell in notebook.cells
        if cell.cell_type == "code"
        for output in cell.outputs
        if output.output_type == "execute_result"
    ]
    assert sum("text/html" in one for one in shown) >= 5
    assert sum("vega" in str(one) for one in shown) == 2, "two charts"


def test_the_notebook_is_kept_without_results() -> None:
    kept = json.loads(TOUR.read_text())
    for cell in kept["cells"]:
        assert cell.get("outputs", []) == []
        assert cell.get("execution_count") is None
