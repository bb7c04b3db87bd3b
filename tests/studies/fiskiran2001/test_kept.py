"""The search of assumptions is done once, then taken from the store."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from cipherassay.results import Store
from cipherassay.studies.fiskiran2001 import fit, kept
from cipherassay.studies.fiskiran2001.addressing import Assumptions
from cipherassay.studies.fiskiran2001.fit import Fit


def test_the_search_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    fits = [
        Fit(Assumptions(), {"MARS": 0.01, "Rijndael": 0.03}, 0.02),
        Fit(replace(Assumptions(), load_latency=2, depth=20), {"MARS": 0.03, "Rijndael": 0.05}, 0.04),
    ]

    def search(quiet: bool = False) -> list[Fit]:
        asked.append(quiet)
        return fits

    monkeypatch.setattr(fit, "search", search)
    store = Store(tmp_path)
    assert kept.search(store) == fits
    assert kept.search(store) == fits
    assert asked == [False]
