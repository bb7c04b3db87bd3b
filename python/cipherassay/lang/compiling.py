"""Tracing the functions of a cipher: parameters, what they return, which functions the program keeps."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate
from typing import Any

from cipherassay.errors import DescriptionError, Place

from .arrays import Array
from .run import run_author_function
from .shapes import BLOCK_OPERATIONS, FUNCTION, ROLES, SHAPES
from .trace import Address, Block, Function, Op, Trace, tracing
from .value import ArrayType, Value
from .vec import vec
from .word import Word, constant

Author = Callable[..., Any]


class Inputs(list[tuple[str, int]]):
    """Vectors of bytes in one parameter of the program, name and length of each: a block, or a tweak and its
    block, behind which the tweak lies in memory."""


def block_parameters(author: Author, count: int, numbers: int = 0) -> list[str]:
    """Return the names of the last parameters without a default, before so many numbers: the tweak's if there
    is one, and the block's."""
    code = author.__code__
    required = code.co_argcount - len(author.__defaults__ or ()) - numbers
    names = code.co_varnames[max(required - count, 0) : max(required, 0)]
    return list(names) if len(names) == count else ["tweak", "block"][-count:]


def trace_function(
    trace: Trace, role: str, author: Author, params: Sequence[Any], numbers: Sequence[int] = ()
) -> Any:
    """Trace one function; a parameter is `Inputs` or the result of a key schedule, and after these come
    `numbers`, which are no parameters of the program. Returns what it returns."""
    block = Block()
    function = Function(role, [], block)
    trace.blocks = [block]
    with tracing(trace):
        args: list[Any] = []
        for one in params:
            args += _inputs(function, one) if isinstance(one, Inputs) else [_keys_parameter(function, one)]
        result = run_author_function(author, *args, *numbers)
        outputs = _outputs(block, result, role)
        if outputs is None:
            raise wrong_result(author, role)
        block.outputs = outputs
    function.results = [x.type for x in block.outputs]
    trace.functions.append(function)
    return result


def _inputs(function: Function, parts: Inputs) -> list[vec]:
    """Return the vectors that one parameter of bytes holds, in their order."""
    behind = parts[::-1]
    array = Value(ArrayType(8, (sum(count for _, count in parts),)), "_".join(name for name, _ in behind))
    function.params.append(array)
    starts = accumulate((count for _, count in behind), initial=0)
    loaded = [_loaded(function, array, *part, start) for part, start in zip(behind, starts, strict=False)]
    return loaded[::-1]


def _loaded(function: Function, array: Value, name: str, count: int, start: int = 0) -> vec:
    """Return so many words of an array from a place on."""
    assert isinstance(array.type, ArrayType)
    width = array.type.width
    words = []
    for n in range(count):
        value = Value(width, f"{name}{n}")
        function.block.ops.append(Op("load", [array], [value], [Address(None, start + n)]))
        words.append(Word(width, node=value))
    return vec(*words)


def _keys_parameter(function: Function, keys: Any, name: str = "") -> Any:
    """Return what ``encrypt`` gets for the round keys: read-only arrays and words of the same structure."""
    if isinstance(keys, Array):
        value = Value(keys.type, keys.name)
        function.params.append(value)
        made = Array(keys.type, origin=keys.origin, read_only=True, name=keys.name)
        made.node = value
        return made
    if isinstance(keys, Word):
        value = Value(keys.width, name or "key")
        function.params.append(value)
        return Word(keys.width, node=value)
    if isinstance(keys, vec):
        name = (keys[0].node.name if keys[0].node else "") or "key"
        array = Value(ArrayType(keys[0].width, (len(keys),)), name)
        function.params.append(array)
        return _loaded(function, array, array.name, len(keys))
    # What else there is was refused where the key schedule was traced.
    return type(keys)(_keys_parameter(function, k) for k in keys)


def wrong_result(author: Author, role: str) -> DescriptionError:
    """Return the error for a function that returns something else than its role asks for."""
    code = author.__code__
    place = Place(code.co_filename, code.co_firstlineno)
    what = (
        "the bytes of the block"
        if role in BLOCK_OPERATIONS
        else "arrays, vectors of words of one width, or a tuple of them"
    )
    return DescriptionError(
        "D023", f"`{role}` must return {what}", places=[place], help="end it with `return …`"
    )


def wrong_length(author: Author, role: str, found: int, expected: int) -> DescriptionError:
    """Return the error for an encryption or decryption that gives another number of bytes than a block's."""
    code = author.__code__
    shape = next(one for one in SHAPES if role in one.roles)
    what = "output" if role == FUNCTION.forward else "block"
    return DescriptionError(
        "D026",
        f"`{role}` returns {found} bytes, and {'an' if what == 'output' else 'a'} {what} has {expected}",
        places=[Place(code.co_filename, code.co_firstlineno)],
        help=f"return the whole {what}, or give the {shape.kind} its `{shape.block}`",
    )


def check_block(author: Author, role: str, function: Function, block_bytes: int) -> None:
    """Check that an encryption or decryption gives the bytes of a block.

    Raises
    ------
    DescriptionError
        ``D023``: something else than bytes. ``D026``: another number of them.
    """
    (result,) = function.results
    if not isinstance(result, ArrayType) or result.width != 8 or len(result.dims) != 1:
        raise wrong_result(author, role)
    if result.dims[0] != block_bytes:
        raise wrong_length(author, role, result.dims[0], block_bytes)


def _outputs(block: Block, result: Any, role: str) -> list[Any] | None:
    """Return the values that a function returns: each array, each vector as an array, each word; None:
    something else."""
    if isinstance(result, Array):
        return [result.node]
    if isinstance(result, Word) and role not in BLOCK_OPERATIONS:
        return [constant(result).node]
    if isinstance(result, list | tuple) and not len(result):
        return None
    if isinstance(result, vec) or (isinstance(result, list) and role in BLOCK_OPERATIONS):
        width = 8 if role in BLOCK_OPERATIONS else getattr(result[0], "width", 0)
        if not all(isinstance(w, Word) and w.width == width for w in result):
            return None
        name = "out" if role in BLOCK_OPERATIONS else "key"
        array = Value(ArrayType(result[0].width, (len(result),)), name)
        block.ops.append(Op("array", list(result), [array]))
        return [array]
    if isinstance(result, list | tuple) and role not in BLOCK_OPERATIONS:
        parts = [_outputs(block, part, role) for part in result]
        return None if None in parts else [x for part in parts for x in part or []]
    return None


def used_functions(functions: Sequence[Function]) -> list[Function]:
    """Drop functions that only an abandoned attempt called, keeping the order."""
    wanted: set[Function] = set()

    def visit(blocks: Iterable[Block]) -> None:
        for block in blocks:
            for op in block.ops:
                if op.kind == "call" and op.attribute not in wanted:
                    wanted.add(op.attribute)
                    visit([op.attribute.block])
                elif op.kind == "loop":
                    visit(op.attribute.bodies)

    for function in functions:
        if function.name in ROLES:
            wanted.add(function)
            visit([function.block])
    return [f for f in functions if f in wanted]
