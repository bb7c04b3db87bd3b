"""Which cases of a test run every time: some that differ in kind; `make test-all` runs the others, too."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

import pytest


def usual(cases: Iterable[Any], chosen: Collection[Any]) -> list[Any]:
    """Return the cases as parameters of a test: those that are not chosen are slow.

    Parameters
    ----------
    cases : Iterable
        Values of a parameter, or tuples of values of several.
    chosen : Collection
        The cases that run every time. Each must be one of the cases.
    """
    listed = list(cases)
    assert set(chosen) <= set(listed)
    return [
        case if case in chosen else pytest.param(*_values(case), marks=pytest.mark.slow) for case in listed
    ]


def _values(case: Any) -> tuple[Any, ...]:
    return case if isinstance(case, tuple) else (case,)
