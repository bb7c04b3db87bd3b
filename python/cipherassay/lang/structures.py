"""How tables come about: the functions that compute their entries, as functions of the program."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .arrays import Table
from .run import run_author_function
from .trace import Block, Function, Trace, tracing
from .value import Value
from .word import Word, as_word


def structure_functions(trace: Trace, functions: Sequence[Function]) -> list[Function]:
    """Return functions that compute the entries of the tables which `functions` look up.

    Only tables made from a function have one. Each takes a word, the address, and comes with the functions
    that it calls; they are called ``NAME_structure`` after the table.
    """
    before = len(trace.functions)
    done: list[tuple[int, list[int]]] = []
    for table in _tables(functions):
        if table.structure is not None and (table.width, table.data) not in done:
            done.append((table.width, table.data))
            trace.functions.append(_traced(trace, table))
    return trace.functions[before:]


def _traced(trace: Trace, table: Table) -> Function:
    assert table.structure is not None
    address = Value(len(table).bit_length() - 1, "x")
    block = Block()
    trace.blocks = [block]
    with tracing(trace):
        entry = run_author_function(table.structure, Word(len(table).bit_length() - 1, node=address))
        block.outputs = [as_word(entry, table.width)]
    return Function(f"{table.name}_structure", [address], block, [table.width])


def _tables(functions: Sequence[Function]) -> Iterator[Table]:
    for function in functions:
        yield from _of_block(function.block)


def _of_block(block: Block) -> Iterator[Table]:
    for op in block.ops:
        if op.kind == "lookup":
            yield op.attribute[0]
        elif op.kind == "loop":
            for body in op.attribute.bodies:
                yield from _of_block(body)
