"""The state that a loop may carry: words and arrays found in local variables, through lists, tuples and
dictionaries."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from .arrays import Array
from .place import complain
from .vec import vec
from .word import Word

Path = tuple[Any, ...]
"""Variable name, then keys and positions: ``("D", 0)``."""
Leaf = Word | Array
Containers = dict[int, tuple[Any, Any]]


class MissingValue:
    """Stands for a variable that has no value that may be read; any use is an error that names it."""

    def __init__(self, name: str, why: str, mend: str) -> None:
        object.__setattr__(self, "_text", (name, why, mend))

    def _refuse(self, *_: Any, **__: Any) -> Any:
        name, why, mend = object.__getattribute__(self, "_text")
        raise complain("D008", f"`{name}` {why}", help=mend)

    def __getattribute__(self, name: str) -> Any:
        if name in ("__class__", "_refuse", "__dict__"):
            return object.__getattribute__(self, name)
        return object.__getattribute__(self, "_refuse")()


def _refusing(name: str) -> Callable[..., Any]:
    return lambda self, *_: object.__getattribute__(self, "_refuse")()


for _name in [
    "add",
    "radd",
    "sub",
    "rsub",
    "mul",
    "rmul",
    "truediv",
    "rtruediv",
    "floordiv",
    "rfloordiv",
    "mod",
    "rmod",
    "pow",
    "rpow",
    "and",
    "rand",
    "or",
    "ror",
    "xor",
    "rxor",
    "lshift",
    "rlshift",
    "rshift",
    "rrshift",
    "matmul",
    "rmatmul",
    "neg",
    "pos",
    "abs",
    "invert",
    "eq",
    "ne",
    "lt",
    "le",
    "gt",
    "ge",
    "bool",
    "int",
    "index",
    "float",
    "iter",
    "len",
    "getitem",
    "setitem",
    "contains",
    "call",
    "hash",
    "str",
]:
    setattr(MissingValue, f"__{_name}__", _refusing(_name))


def structure(value: Any, seen: tuple[int, ...] = ()) -> Any:
    """Describe a value so that two of the same shape, with words and arrays of the same types, are equal;
    None: no words inside."""
    if isinstance(value, MissingValue):
        return None
    if isinstance(value, Word):
        return ("word", value.width)
    if isinstance(value, Array):
        return ("array", value.type, value.wrap, value.origin) if not value.read_only else None
    if id(value) in seen or not isinstance(value, list | tuple | dict):
        return None
    inner = (*seen, id(value))
    if isinstance(value, dict):
        parts = tuple((k, structure(v, inner)) for k, v in value.items())
        return ("dict", parts) if any(p for _, p in parts) else None
    shapes = tuple(structure(v, inner) for v in value)
    if not any(shapes):
        return None
    return (type(value).__name__ if isinstance(value, vec | list) else "tuple", shapes)


def leaves(value: Any, path: Path) -> Iterator[tuple[Path, Leaf]]:
    """Yield the words and arrays of a value with their paths."""
    if isinstance(value, MissingValue):
        return
    if isinstance(value, Word) or (isinstance(value, Array) and not value.read_only):
        yield path, value
    elif isinstance(value, dict):
        for key, item in value.items():
            if structure(item):
                yield from leaves(item, (*path, key))
    elif isinstance(value, list | tuple):
        for n, item in enumerate(list.__iter__(value) if isinstance(value, list) else value):
            if structure(item):
                yield from leaves(item, (*path, n))


def places(value: Any, path: Path) -> Iterator[tuple[Path, Any]]:
    """Yield the lists, dictionaries and arrays that hold words, outer before inner, with their paths."""
    if isinstance(value, MissingValue | Word) or structure(value) is None:
        return
    if isinstance(value, Array | list | dict):
        yield path, value
    if isinstance(value, list | tuple | dict):
        for key, item in _items(value):
            yield from places(item, (*path, key))


def _items(value: Any) -> Iterable[tuple[Any, Any]]:
    if isinstance(value, dict):
        return value.items()
    return enumerate(list.__iter__(value) if isinstance(value, list) else value)


def rebuild(
    value: Any,
    path: Path,
    replace: Callable[[Path, Leaf], Leaf],
    place: Callable[[Path, Any], tuple[Any, bool]],
) -> Any:
    """Return ``value`` with each word and array replaced, and each list and dictionary that holds some.

    ``place`` gives what stands for a list or dictionary, and whether it has its contents already.
    """
    if isinstance(value, MissingValue) or structure(value) is None:
        return value
    if isinstance(value, Word | Array):
        return replace(path, value)
    if isinstance(value, tuple):
        items = [rebuild(v, (*path, n), replace, place) for n, v in enumerate(value)]
        return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
    made, filled = place(path, value)
    if not filled:
        parts = {key: rebuild(item, (*path, key), replace, place) for key, item in _items(value)}
        fill(made, parts if isinstance(value, dict) else list(parts.values()))
    return made


def fill(container: Any, contents: Any) -> None:
    """Give a list or dictionary these contents, in place."""
    if isinstance(container, dict):
        container.clear()
        container.update(contents)
    else:
        list.__setitem__(container, slice(None), contents)


def containers(value: Any, found: Containers) -> None:
    """Collect every list, dictionary and array reachable from a value with a copy of its present contents."""
    if isinstance(value, MissingValue) or id(value) in found:
        return
    if isinstance(value, Array):
        if not value.read_only:
            found[id(value)] = (value, value.node)
    elif isinstance(value, dict):
        found[id(value)] = (value, dict(value))
        for item in value.values():
            containers(item, found)
    elif isinstance(value, list | tuple):
        if isinstance(value, list):
            found[id(value)] = (value, list(list.__iter__(value)))
        for item in list.__iter__(value) if isinstance(value, list) else value:
            containers(item, found)


def changed(found: Containers) -> bool:
    """Say whether a collected list or dictionary has other contents than it had."""
    for container, contents in found.values():
        if isinstance(container, Array):
            continue
        now, before = (
            (c.values() if isinstance(c, dict) else list.__iter__(c)) for c in (container, contents)
        )
        if len(container) != len(contents) or any(a is not b for a, b in zip(now, before, strict=True)):
            return True
    return False


def restore(found: Containers) -> None:
    """Give every collected container the contents that it had."""
    for container, contents in found.values():
        if isinstance(container, Array):
            container.node = contents
        else:
            fill(container, contents)


def apart(values: dict[str, Any], others: Mapping[str, Any]) -> dict[str, Any]:
    """Return variables with copies of the lists and dictionaries that `others`, a file's globals, hold, too.

    A loop changes its state in place: ``U = v`` before it must not make the loop change a constant `v`.
    """
    shared: Containers = {}
    for name, value in others.items():
        if not name.startswith("__") and structure(value) is not None:
            containers(value, shared)
    made: dict[int, Any] = {}
    return {name: copied(value, shared, made) for name, value in values.items()}


def copied(value: Any, shared: Containers, made: dict[int, Any]) -> Any:
    """Return a copy of a list or dictionary that is one of `shared`, with copies of those in it.

    ``made`` keeps the copies.
    """
    if id(value) in made:
        return made[id(value)]
    if id(value) not in shared or not isinstance(value, list | dict):
        return value
    kind: Any = type(value)
    copy = made[id(value)] = kind.__new__(kind)
    if isinstance(value, dict):
        copy.update({key: copied(item, shared, made) for key, item in value.items()})
    else:
        list.extend(copy, [copied(item, shared, made) for item in list.__iter__(value)])
    return copy
