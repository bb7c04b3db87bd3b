"""A part of a cipher scheduled alone: a function of its file, or an S-box, with operands in registers."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from cipherassay import strategies
from cipherassay._engine import Graph, Processor, Program
from cipherassay.errors import UsageError, nearest
from cipherassay.lang import bitsliced, inverse, le_bytes, le_words
from cipherassay.lang.cipher import Cipher
from cipherassay.lang.functions import Box
from cipherassay.lang.shapes import ROLES
from cipherassay.processors.kernel import Choice
from cipherassay.processors.making import selected

WORDS = 4
"""Words of 32 bits that a part takes and gives."""
STRATEGY = "straight"
RESTARTS = 400
LOADS, STORES = ("LD", "LDF", "LOAD"), ("ST", "STORE")
"""Classes of the instructions that fetch operands and put results away."""


@dataclass(frozen=True)
class Operation:
    """One operation of a part."""

    text: str
    result: str
    cycle: int
    sources: tuple[str, ...]
    """Operations it waits for, by their results, and operands of the part."""


@dataclass(frozen=True)
class PartSchedule:
    """A part on a processor: cycles from the first issue to the last."""

    cipher: str
    part: str
    processor: str
    cycles: int
    bound: int
    bound_kind: str
    bound_why: str
    operations: tuple[Operation, ...]


def names(cipher: Cipher) -> list[str]:
    """Return the names of the parts of a cipher: functions of one vector, S-boxes of four bits."""
    return sorted(_parts(cipher))


def _parts(cipher: Cipher) -> dict[str, Any]:
    """Return what the cipher's file defines besides the cipher's own functions."""
    author = cipher.author_function(cipher.shape.forward)
    known = author.__globals__ if author else {}
    found: dict[str, Any] = {}
    for name, value in known.items():
        if _own(value, cipher) and value.__code__.co_argcount == 1:
            found[name] = value
        boxes = value if isinstance(value, list | tuple) else [value]
        for box in boxes:
            if isinstance(box, Box) and box.inputs == box.outputs == WORDS:
                found[box.name] = box
    roles = [
        (role, variant, form)
        for role in ROLES
        for variant in ("", *cipher.variants)
        for form in ("", *cipher.forms)
    ]
    whole = {id(cipher.author_function(*one)) for one in roles}
    return {name: value for name, value in found.items() if id(value) not in whole}


def _own(value: Any, cipher: Cipher) -> bool:
    """Say whether it is a function of the cipher's file."""
    code = getattr(value, "__code__", None)
    return code is not None and code.co_filename == str(cipher.file)


def program(cipher: Cipher, name: str, *, inverted: bool = False) -> Program:
    """Return the program of a part after the passes of straight-line code: its function is ``key_schedule``.

    Raises
    ------
    UsageError
        ``M715``: no such part.
    """
    parts = _parts(cipher)
    if name not in parts:
        raise UsageError("M715", f"{cipher.name} has no part `{name}`", help=nearest(name, sorted(parts)))
    apply = _applied(parts[name], inverted)
    alone = Cipher(
        f"{cipher.name} {name}", key_bits=(32 * WORDS,), structure=cipher.structure, source=cipher.source
    )

    @alone.key_schedule
    def key_schedule(key: Any) -> Any:
        return apply(le_words(key))

    @alone.encrypt
    def encrypt(keys: Any, plaintext: Any) -> Any:
        return le_bytes(le_words(plaintext) ^ keys)

    passes = [one.replace("TARGET", "infinite") for one in strategies.load(STRATEGY).passes]
    return alone.compile(32 * WORDS).passes(passes, strategies.circuits())


def _applied(part: Any, inverted: bool) -> Callable[[Any], Any]:
    if isinstance(part, Box):
        box = part.inverse if inverted else part
        return lambda words: bitsliced(box, words)
    return inverse(part) if inverted else part


def schedule(cipher: Cipher, name: str, processor: Processor, *, inverted: bool = False) -> PartSchedule:
    """Schedule a part alone: operands and constants lie in registers, results stay there.

    Raises
    ------
    UsageError
        ``M715``: no such part.
    DescriptionError
        ``M2xx``: the processor lacks an instruction.
    """
    made = program(cipher, name, inverted=inverted)
    code = selected(made, "key_schedule", processor, Choice(STRATEGY))
    (graph,) = code.graphs()
    resources = processor.resources()
    whole = json.loads(graph.json())
    kept = _computing(whole, json.loads(resources)["classes"])
    found = json.loads(_part_of(whole, kept).list_schedule(resources, RESTARTS, 1))
    cycles = found["schedule"]["cycles"]
    bound = found["bound"]
    return PartSchedule(
        cipher=cipher.name,
        part=f"inverse {name}" if inverted else name,
        processor=processor.name,
        cycles=1 + max(cycles, default=-1),
        bound=bound["cycles"],
        bound_kind=bound["kind"],
        bound_why=bound["why"],
        operations=_operations(code.text(), kept, cycles),
    )


def _computing(graph: dict[str, Any], classes: list[str]) -> list[int]:
    """Return the operations that compute from what was loaded: no loads, stores, pointers, constants."""
    memory = {n for n, kind in enumerate(graph["classes"]) if classes[kind] in (*LOADS, *STORES)}
    following: dict[int, list[int]] = {}
    for edge in graph["edges"]:
        following.setdefault(edge["from"], []).append(edge["to"])
    kept: set[int] = set()
    reached = [n for n in memory if classes[graph["classes"][n]] in LOADS]
    while reached:
        for other in following.get(reached.pop(), ()):
            if other not in memory and other not in kept:
                kept.add(other)
                reached.append(other)
    return sorted(kept)


def _part_of(graph: dict[str, Any], kept: list[int]) -> Graph:
    number = {old: new for new, old in enumerate(kept)}
    edges = [
        {**edge, "from": number[edge["from"]], "to": number[edge["to"]]}
        for edge in graph["edges"]
        if edge["from"] in number and edge["to"] in number
    ]
    return Graph.parse(json.dumps({"classes": [graph["classes"][n] for n in kept], "edges": edges}))


_LINE = re.compile(r"^  (?:(?P<results>%.*?) = )?(?P<rest>\S+.*)$")


def _operations(text: str, kept: list[int], cycles: list[int]) -> tuple[Operation, ...]:
    lines = [line for line in text.splitlines() if line.startswith("  ")]
    lines = [line.partition("  #")[0] for line in lines if not re.match(r"  (object|input) ", line)]
    found = []
    for number, cycle in zip(kept, cycles, strict=True):
        match = _LINE.match(lines[number])
        assert match is not None, lines[number]
        result = (match["results"] or "").partition(",")[0]
        found.append(Operation(match["rest"], result, cycle, tuple(re.findall(r"%[^\s,]+", match["rest"]))))
    return tuple(found)
