"""Taking typed values out of a parsed TOML file; what has another type is an error with its line."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any

from cipherassay.errors import DescriptionError, nearest
from cipherassay.published._place import Source

WORDS = {dict: "a table", list: "a list", str: "a string", int: "a whole number", bool: "true or false"}
NUMBER = (int, Decimal)


class TypedReader:
    """Access to the blocks of one file. ``what`` and ``line`` say which block a message is about."""

    def __init__(self, source: Source) -> None:
        self.source = source

    def fail(self, code: str, message: str, line: int, *notes: str, help: str = "") -> DescriptionError:
        """The error at a line; the caller raises it."""
        return DescriptionError(code, message, places=[self.source.place(line)], notes=notes, help=help)

    def typed(self, value: object, kind: type | tuple[type, ...], name: str, what: str, line: int) -> Any:
        """The value; ``B004`` where it has another type (a truth value is no number)."""
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            expected = "a number" if isinstance(kind, tuple) else WORDS[kind]
            note = f"expected {expected}, found {_shown(value)}"
            at = line if what == "row" else self.source.key(line, name)
            raise self.fail("B004", f"`{name}` of {what} has another type", at, note)
        return value

    def need(
        self, block: Mapping[str, Any], name: str, kind: type | tuple[type, ...], what: str, line: int
    ) -> Any:
        """The value of a field; ``B003`` where it is missing."""
        if name not in block:
            raise self.fail("B003", f"{what} lacks `{name}`", line)
        return self.typed(block[name], kind, name, what, line)

    def maybe(self, block: Mapping[str, Any], name: str, default: Any, what: str, line: int) -> Any:
        """The value of a field, or the default, whose type it must have."""
        kind = NUMBER if isinstance(default, float) else type(default)
        return self.typed(block[name], kind, name, what, line) if name in block else default

    def listed(self, block: Mapping[str, Any], name: str, kind: type, what: str, line: int) -> list[Any]:
        """The entries of a field that is a list of one type; none where it is missing."""
        entries = self.maybe(block, name, [], what, line)
        return [self.typed(entry, kind, name, what, line) for entry in entries]

    def fields(self, block: Mapping[str, Any], known: Iterable[str], what: str, line: int) -> None:
        """Nothing; ``B002`` where the block has a field that is not known."""
        for name in block:
            if name not in known:
                at = line if what == "row" else self.source.key(line, name)
                raise self.fail(
                    "B002", f"{what} has an unknown field `{name}`", at, help=nearest(name, known)
                )


def _shown(value: object) -> str:
    return str(value) if isinstance(value, Decimal) else repr(value)
