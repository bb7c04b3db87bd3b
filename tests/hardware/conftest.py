"""What the tests of devices share: fewer random vectors than a user gets, where every device is simulated."""

from __future__ import annotations

import os

import pytest

from cipherassay.hardware.simulation import vectors

MIXED, CHANGES = vectors.MIXED, vectors.CHANGES


@pytest.fixture(autouse=True)
def fewer_vectors(monkeypatch: pytest.MonkeyPatch) -> None:
    """Some of the mixed blocks and half of the key changes; `make test-all` takes all."""
    if not os.environ.get("ASSAY_SLOW"):
        monkeypatch.setattr(vectors, "MIXED", 12)
        monkeypatch.setattr(vectors, "CHANGES", 3)


@pytest.fixture
def every_vector(fewer_vectors: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """All of them, as a user gets."""
    monkeypatch.setattr(vectors, "MIXED", MIXED)
    monkeypatch.setattr(vectors, "CHANGES", CHANGES)
