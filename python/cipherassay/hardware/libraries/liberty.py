"""Liberty files: read into groups and attributes that know their line and their place in the text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NoReturn

from cipherassay.errors import DescriptionError, Place

_TOKEN = re.compile(
    r"""(?P<skip>(?:\s|\\\r?\n|/\*.*?\*/|//[^\n]*)+)|(?P<string>"(?:[^"\\]|\\.)*")|(?P<mark>[{}();:,])"""
    r"""|(?P<word>[^\s{}();:,"\\]+)""",
    re.S | re.X,
)


@dataclass(frozen=True)
class Attribute:
    """``name : value ;`` or ``name (value, …) ;``; `begin` and `end` are those of its values in the text."""

    name: str
    values: tuple[str, ...]
    line: int
    begin: int
    end: int

    @property
    def value(self) -> str:
        """Its only value."""
        return self.values[0] if self.values else ""


@dataclass
class Group:
    """``kind (names) { … }``; `begin` and `end` are those of the whole group in the text."""

    kind: str
    names: tuple[str, ...]
    line: int
    begin: int
    end: int = 0
    attributes: list[Attribute] = field(default_factory=list)
    groups: list[Group] = field(default_factory=list)

    @property
    def name(self) -> str:
        """The first of its names."""
        return self.names[0] if self.names else ""

    def find(self, name: str) -> Attribute | None:
        """Return the attribute of that name, the last if there are several."""
        return next((one for one in reversed(self.attributes) if one.name == name), None)

    def text(self, name: str) -> str:
        """Return the value of an attribute, empty if there is none."""
        found = self.find(name)
        return found.value if found else ""

    def of_kind(self, kind: str) -> Iterator[Group]:
        """Yield the groups of a kind that stand directly in this one."""
        return (group for group in self.groups if group.kind == kind)

    def walk(self) -> Iterator[Group]:
        """Yield this group and all within it, in the text's order."""
        yield self
        for group in self.groups:
            yield from group.walk()


@dataclass(frozen=True)
class _Token:
    text: str
    kind: str
    begin: int
    end: int
    line: int


class _Reader:
    def __init__(self, text: str, file: str) -> None:
        self.text, self.file = text, file
        self.tokens = list(self._split())
        self.at = 0

    def _split(self) -> Iterator[_Token]:
        at, line = 0, 1
        while at < len(self.text):
            found = _TOKEN.match(self.text, at)
            if not found:
                self.refuse(f"`{self.text[at]}` is not expected", line)
            kind = found.lastgroup or ""
            if kind != "skip":
                yield _Token(found[0], kind, at, found.end(), line)
            line += found[0].count("\n")
            at = found.end()

    def refuse(self, message: str, line: int) -> NoReturn:
        lines = self.text.splitlines()
        shown = lines[line - 1] if line <= len(lines) else ""
        raise DescriptionError(
            "H604", f"the Liberty file cannot be read: {message}", places=[Place(self.file, line, text=shown)]
        )

    def next(self) -> _Token:
        if self.at >= len(self.tokens):
            self.refuse("it ends within a group", self.text.count("\n") + 1)
        self.at += 1
        return self.tokens[self.at - 1]

    def peek(self) -> str:
        return self.tokens[self.at].text if self.at < len(self.tokens) else ""

    def statement(self, into: Group) -> None:
        head = self.next()
        if head.kind != "word":
            self.refuse(f"a name is expected, `{head.text}` is found", head.line)
        if self.peek() == ":":
            self.next()
            into.attributes.append(self.simple(head))
            return
        if self.peek() != "(":
            self.refuse(f"`:` or `(` is expected after `{head.text}`", head.line)
        self.next()
        values, begin, end = self.arguments()
        if self.peek() == "{":
            into.groups.append(self.group(head, values))
            return
        into.attributes.append(Attribute(head.text, values, head.line, begin, end))
        if self.peek() == ";":
            self.next()

    def simple(self, head: _Token) -> Attribute:
        """Read the value after a colon: it ends at a semicolon, or with its line."""
        parts: list[_Token] = []
        while self.peek() not in (";", "}") and (not parts or self.tokens[self.at].line == parts[-1].line):
            parts.append(self.next())
        if not parts:
            self.refuse(f"`{head.text}` has no value", head.line)
        if self.peek() == ";":
            self.next()
        value = " ".join(_plain(part) for part in parts)
        return Attribute(head.text, (value,), head.line, parts[0].begin, parts[-1].end)

    def arguments(self) -> tuple[tuple[str, ...], int, int]:
        values: list[str] = []
        begin = self.tokens[self.at - 1].end
        while (token := self.next()).text != ")":
            if token.text in "{};":
                self.refuse(f"`)` is expected, `{token.text}` is found", token.line)
            if token.text != ",":
                values.append(_plain(token))
        return tuple(values), begin, token.begin

    def group(self, head: _Token, names: tuple[str, ...]) -> Group:
        made = Group(head.text, names, head.line, head.begin)
        self.next()
        while self.peek() != "}":
            if self.peek() == ";":
                self.next()
                continue
            self.statement(made)
        made.end = self.next().end
        return made


def _plain(token: _Token) -> str:
    if token.kind != "string":
        return token.text
    return re.sub(r"\\\r?\n", " ", token.text[1:-1])


def read(text: str, file: str) -> Group:
    """Return the library that a Liberty text describes.

    Raises
    ------
    DescriptionError
        ``H604``: it is no Liberty text; says the line.
    """
    reader = _Reader(text, file)
    root = Group("", (), 1, 0)
    while reader.peek():
        reader.statement(root)
    library = next(root.of_kind("library"), None)
    if library is None:
        reader.refuse("it holds no library", 1)
    return library


def numbers(attribute: Attribute) -> list[float]:
    """Return the numbers of an index or of a table's values, in the text's order."""
    return [float(word) for value in attribute.values for word in value.replace(",", " ").split()]
