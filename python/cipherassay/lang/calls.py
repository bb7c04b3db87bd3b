"""Helpers that stay calls in the program: ``@function``."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import wraps
from typing import Any

from .arrays import Array
from .place import complain
from .state import Containers, changed, containers, leaves
from .trace import Block, Function, Op, Trace, current, record
from .value import Value
from .word import Word


def function(author: Callable[..., Any]) -> Callable[..., Any]:
    """Keep each call of the decorated helper as a call; it is compiled once for each shape of its arguments.

    Its arguments are words, vectors and arrays (these it only reads), and Python values, for each of which it
    is compiled anew. It returns words, or lists and tuples of words. A helper without the decorator is
    inlined.
    """

    @wraps(author)
    def called(*args: Any) -> Any:
        trace = current()
        if trace is None:
            return author(*args)
        found = list(_operands(args))
        key = (author, _shape(args))
        if key not in trace.calls:
            trace.calls[key] = _trace_function(trace, author, args)
        made, result = trace.calls[key]
        values = [Value(type_) for type_ in made.results]
        record(Op("call", found, list(values), made))
        return _unflatten(result, iter(values))

    return called


def _operands(value: Any) -> Iterator[Word | Value]:
    if isinstance(value, Array):
        assert value.node is not None
        yield value.node
    elif isinstance(value, Word):
        yield value
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _operands(item)


def _shape(value: Any) -> Any:
    """Describe arguments: two calls with equal shapes share one compiled function."""
    if isinstance(value, Word):
        return ("word", value.width)
    if isinstance(value, Array):
        return ("array", value.type, value.origin, value.wrap)
    if isinstance(value, list | tuple):
        return (type(value).__name__, *(_shape(v) for v in value))
    return value


def _parameter(value: Any, name: str, params: list[Value]) -> Any:
    """Return a copy of an argument in which words and arrays are parameters with the author's name."""
    if isinstance(value, Word):
        params.append(Value(value.width, name))
        return Word(value.width, node=params[-1])
    if isinstance(value, Array):
        params.append(Value(value.type, name))
        made = Array(value.type, origin=value.origin, wrap=value.wrap, read_only=True, name=name)
        made.node = params[-1]
        return made
    if isinstance(value, list | tuple):
        items = [_parameter(v, f"{name}{n}", params) for n, v in enumerate(value)]
        return type(value)(*items) if type(value).__name__ == "vec" else type(value)(items)
    return value


def _names(author: Callable[..., Any], count: int) -> list[str]:
    """Return the names of a function's first parameters; those behind a ``*`` are numbered."""
    code = author.__code__
    named = list(code.co_varnames[: code.co_argcount])[:count]
    rest = code.co_varnames[code.co_argcount + code.co_kwonlyargcount] if count > len(named) else ""
    return [*named, *(f"{rest}{n}" for n in range(count - len(named)))]


def _trace_function(trace: Trace, author: Callable[..., Any], args: tuple[Any, ...]) -> tuple[Function, Any]:
    params: list[Value] = []
    inner = [_parameter(a, n, params) for a, n in zip(args, _names(author, len(args)), strict=True)]
    block = Block()
    name = re.sub(r"[^A-Za-z0-9_]", "", author.__name__) or "f"
    number = sum(f.name == name or f.name.startswith(f"{name}.") for f in trace.functions)
    made = Function(f"{name}.{number}" if number else name, params, block)
    outer, trace.blocks = trace.blocks, [block]
    given: Containers = {}
    containers(inner, given)
    try:
        result = author(*inner)
    finally:
        trace.blocks = outer
    if changed(given):
        raise complain(
            "D071",
            f"`{name}` changes an argument in place, and what stays a call only reads its arguments",
            help="work on a copy, `v = vec(*v)`, and return it; a helper without `@function` may change them",
        )
    words = [leaf for _, leaf in leaves(result, ())]
    if not words or not all(isinstance(w, Word) for w in words):
        raise complain(
            "D020",
            f"`{name}` returns no words",
            help="a function that stays a call returns words, or lists of them",
        )
    block.outputs = list(words)
    made.results = [w.width for w in words if isinstance(w, Word)]
    trace.functions.append(made)
    return made, result


def _unflatten(shape: Any, values: Iterator[Value]) -> Any:
    if isinstance(shape, Word):
        return Word(shape.width, node=next(values))
    if isinstance(shape, list | tuple):
        items = [_unflatten(s, values) for s in shape]
        return type(shape)(*items) if type(shape).__name__ == "vec" else type(shape)(items)
    return shape
