"""Values out of data files checked against the types that a data class declares."""

from __future__ import annotations

import dataclasses
import math
import types
import typing
from collections.abc import Mapping
from typing import Any

_WORDS = {str: "a text", int: "a whole number", float: "a number", bool: "true or false"}


def misfits(kind: type[Any], entries: Mapping[str, Any]) -> dict[str, str]:
    """Return the fields whose values a data class cannot have, with why: ``expected a number, found 'x'``.

    Lists may stand for tuples. A data class in a field has to be made before.
    """
    hints = typing.get_type_hints(kind)
    faults = {name: _misfit(value, hints[name]) for name, value in entries.items()}
    return {name: fault for name, fault in faults.items() if fault}


def _misfit(value: Any, hint: Any) -> str:
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, types.UnionType):
        faults = [_misfit(value, one) for one in arguments if one is not types.NoneType]
        return "" if value is None or "" in faults else faults[0]
    if origin is tuple:
        return _misfit_of_list(value, arguments)
    if origin in (dict, Mapping):
        if not isinstance(value, Mapping):
            return _found("a table", value)
        faults = [_misfit(part, arguments[n]) for pair in value.items() for n, part in enumerate(pair)]
        return next(filter(None, faults), "")
    if hint is float and isinstance(value, (int, float)) and not isinstance(value, bool):
        return "" if math.isfinite(value) else _found("a number", value)
    if not isinstance(hint, type) or (isinstance(value, hint) and (hint is bool) == isinstance(value, bool)):
        return ""
    return _found("a table" if dataclasses.is_dataclass(hint) else _WORDS.get(hint, hint.__name__), value)


def _misfit_of_list(value: Any, kinds: tuple[Any, ...]) -> str:
    if not isinstance(value, (list, tuple)):
        return _found("a list", value)
    repeated = len(kinds) == 2 and kinds[1] is Ellipsis
    if not repeated and len(value) != len(kinds):
        return _found(f"a list of {len(kinds)}", value)
    faults = (_misfit(part, kinds[0] if repeated else kinds[n]) for n, part in enumerate(value))
    return next(filter(None, faults), "")


def _found(expected: str, value: Any) -> str:
    shown = repr(value)
    return f"expected {expected}, found {shown if len(shown) <= 60 else shown[:60] + ' …'}"
