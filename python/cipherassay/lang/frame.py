"""Reading and setting the local variables of a running function (CPython).

From 3.13 on ``frame.f_locals`` writes through (PEP 667). Before that the frame keeps its variables in fast
slots, and ``PyFrame_LocalsToFast`` copies a changed ``f_locals`` back into them.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Mapping
from types import FrameType
from typing import Any


def read_locals(frame: FrameType) -> dict[str, Any]:
    """Return the variables of ``frame``, those of closures included, in the order of the code."""
    found = dict(frame.f_locals)
    code = frame.f_code
    order = {name: n for n, name in enumerate((*code.co_varnames, *code.co_cellvars, *code.co_freevars))}
    return dict(sorted(found.items(), key=lambda item: order.get(item[0], len(order))))


def write_locals(frame: FrameType, values: Mapping[str, Any]) -> None:
    """Set variables of ``frame``."""
    frame.f_locals.update(values)
    if sys.version_info < (3, 13):
        ctypes.pythonapi.PyFrame_LocalsToFast(ctypes.py_object(frame), ctypes.c_int(0))
