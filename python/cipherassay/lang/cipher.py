"""A cipher: its functions as the author wrote them, run plainly or compiled into a program."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from cipherassay.errors import DescriptionError, Place, UsageError, nearest

from .arrays import Array
from .cleanup import check_scope, remove_unused
from .place import complain
from .run import run_author_function
from .text import program_text
from .trace import ArrayType, Block, Function, Op, Trace, Value, tracing
from .vec import vec
from .word import Word

if TYPE_CHECKING:
    from cipherassay._engine import Program

STRUCTURES = ("SPN", "Feistel", "generalised Feistel", "ARX", "Lai-Massey", "other")
ROLES = ("key_schedule", "key_schedule_decrypt", "encrypt", "decrypt")
BLOCK_ROLES = ("encrypt", "decrypt")
Author = Callable[..., Any]


@dataclass
class Cipher:
    """A block cipher, described once.

    Parameters
    ----------
    name : str
        The name as its paper writes it.
    key_bits : tuple of int
        Key sizes in bits.
    structure : str
        One of SPN, Feistel, generalised Feistel, ARX, Lai-Massey, other.
    source : str
        The document that the file follows.
    block_bits : int
        Block size in bits.
    nist_byte_order : str
        ``reversed`` where the submission's files print every string most significant byte first.
    strategy : str
        The strategy that C is emitted with unless another is asked for.
    """

    name: str
    key_bits: tuple[int, ...]
    structure: str
    source: str
    block_bits: int = 128
    nist_byte_order: str = "as-is"
    strategy: str = "unrolled"
    file: str = ""
    slug: str = ""
    functions: dict[tuple[str, str, str], Author] = field(default_factory=dict, repr=False)
    """By role, variant and form."""
    _compiled: dict[tuple[int, str, str], Program] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        if self.structure not in STRUCTURES:
            raise complain(
                "D021", f"unknown structure `{self.structure}`", help=nearest(self.structure, STRUCTURES)
            )
        for bits in (*self.key_bits, self.block_bits):
            if bits % 8 or bits <= 0:
                raise complain("D021", f"a size of {bits} bits is no whole number of bytes")
        self.slug = self.slug or "".join(c if c.isalnum() else "_" for c in self.name.lower())

    @property
    def variants(self) -> tuple[str, ...]:
        """Variants that compute something else (an earlier key schedule), besides the default one."""
        return tuple(sorted({v for _, v, _ in self.functions if v}))

    @property
    def forms(self) -> tuple[str, ...]:
        """Alternative formulations that compute the same, besides the literal one."""
        return tuple(sorted({f for _, _, f in self.functions if f}))

    def _register(self, role: str, function: Author | None, variant: str, form: str) -> Any:
        def register(author: Author) -> Author:
            self.functions[role, variant, form] = author
            self.file = self.file or author.__code__.co_filename
            return author

        return register if function is None else register(function)

    def key_schedule(self, function: Author | None = None, *, variant: str = "", form: str = "") -> Any:
        """Decorate the function from the key's bytes to the round keys."""
        return self._register("key_schedule", function, variant, form)

    def key_schedule_decrypt(
        self, function: Author | None = None, *, variant: str = "", form: str = ""
    ) -> Any:
        """Decorate the function from the key's bytes to the round keys of decryption, where these differ."""
        return self._register("key_schedule_decrypt", function, variant, form)

    def encrypt(self, function: Author | None = None, *, variant: str = "", form: str = "") -> Any:
        """Decorate the function from round keys and plaintext (bytes) to the ciphertext (bytes)."""
        return self._register("encrypt", function, variant, form)

    def decrypt(self, function: Author | None = None, *, variant: str = "", form: str = "") -> Any:
        """Decorate the function from round keys and ciphertext to the plaintext."""
        return self._register("decrypt", function, variant, form)

    def author_function(self, role: str, variant: str = "", form: str = "") -> Author | None:
        """Return the function for a role; what a variant or form does not define is that of the default."""
        for key in ((role, variant, form), (role, "", form), (role, variant, ""), (role, "", "")):
            if key in self.functions:
                return self.functions[key]
        return None

    def check_choice(self, key_bits: int, variant: str = "", form: str = "") -> None:
        """Raise UsageError (U010 to U012) for a key size, variant or form that the cipher lacks."""
        if key_bits not in self.key_bits:
            known = ", ".join(map(str, self.key_bits))
            raise UsageError(
                "U010", f"{self.name} has no key size of {key_bits} bits", help=f"its key sizes: {known}"
            )
        if variant and variant not in self.variants:
            raise UsageError(
                "U011", f"{self.name} has no variant `{variant}`", help=nearest(variant, self.variants)
            )
        if form and form not in self.forms:
            raise UsageError("U012", f"{self.name} has no form `{form}`", help=nearest(form, self.forms))

    def run(self, role: str, *args: Any, variant: str = "", form: str = "") -> Any:
        """Call a function plainly: bytes in, bytes out for blocks; the key schedule returns what ``encrypt``
        takes."""
        author = self.author_function(role, variant, form)
        if author is None:
            raise UsageError(
                "U013", f"{self.name} has no `{role}`", help=nearest(role, (r for r, _, _ in self.functions))
            )
        words = [vec(*(Word(8, b) for b in a)) if isinstance(a, bytes | bytearray) else a for a in args]
        with tracing(None):
            result = run_author_function(author, *words)
        if role.startswith("key_schedule"):
            return _read_only(result)
        if not isinstance(result, list) or any(not isinstance(w, Word) or w.width != 8 for w in result):
            raise _wrong_result(author, role)
        return bytes(w.value for w in result)

    def compile(self, key_bits: int, variant: str = "", form: str = "") -> Program:
        """Compile all functions for one key size, and compare the program with a plain run on random words.

        Raises
        ------
        DescriptionError
            What the language refuses, at its place; D015 where program and plain run differ.
        UsageError
            A key size, variant or form that the cipher lacks.
        """
        self.check_choice(key_bits, variant, form)
        key = (key_bits, variant, form)
        if key not in self._compiled:
            from cipherassay._engine import Program

            program = Program.parse(self.program_text(key_bits, variant, form))
            self._self_check(program, key_bits, variant, form)
            self._compiled[key] = program
        return self._compiled[key]

    def program_text(self, key_bits: int, variant: str = "", form: str = "") -> str:
        """Return the text form of the program for one key size, not yet checked."""
        self.check_choice(key_bits, variant, form)
        trace = Trace()
        shapes: dict[str, Any] = {}
        roles = [r for r in ROLES if self.author_function(r, variant, form)]
        for missing in {"key_schedule", "encrypt"} - set(roles):
            raise DescriptionError(
                "D022",
                f"{self.name} has no `{missing}`",
                help=f"decorate a function with `@{self.slug}.{missing}`",
            )
        for role in roles:
            author = self.author_function(role, variant, form)
            assert author is not None
            if role.startswith("key_schedule"):
                shapes[role] = _trace(trace, role, author, [("key", key_bits // 8)])
            else:
                keys = shapes.get("key_schedule_decrypt") if role == "decrypt" else None
                _trace(
                    trace,
                    role,
                    author,
                    [keys or shapes["key_schedule"], (_last_parameter(author), self.block_bits // 8)],
                )
        for function in trace.functions:
            remove_unused(function)
            check_scope(function)
        meta = [
            ("cipher", self.slug),
            ("key_bits", str(key_bits)),
            ("block_bits", str(self.block_bits)),
            ("variant", variant),
            ("form", form),
        ]
        meta += [("structure", self.structure), ("source", self.source)]
        return program_text(self.name, [(k, v) for k, v in meta if v], _used_functions(trace.functions))

    def _self_check(self, program: Program, key_bits: int, variant: str, form: str) -> None:
        rng = random.Random(f"{self.slug} {key_bits} {variant} {form}")
        key = rng.randbytes(key_bits // 8)
        for direction, role in (("encrypt", "key_schedule"), ("decrypt", "key_schedule_decrypt")):
            if self.author_function(direction, variant, form) is None:
                continue
            schedule = role if self.author_function(role, variant, form) else "key_schedule"
            block = rng.randbytes(self.block_bits // 8)
            plain_keys = self.run(schedule, key, variant=variant, form=form)
            keys = program.evaluate(schedule, [key])
            _compare(self, schedule, numbers(plain_keys), keys)
            plain = self.run(direction, plain_keys, block, variant=variant, form=form)
            _compare(self, direction, [list(plain)], program.evaluate(direction, [*keys, block]))


def _compare(cipher: Cipher, role: str, plain: Sequence[Any], compiled: Sequence[Any]) -> None:
    if list(plain) == list(compiled):
        return
    author = cipher.author_function(role)
    raise DescriptionError(
        "D015",
        f"{cipher.name}: `{role}` computes something else when compiled than when called",
        notes=[
            f"called: {_short(plain)}",
            f"compiled: {_short(compiled)}",
            f"function `{author.__name__ if author else role}` in {cipher.file}",
        ],
        help="keep loop state in local variables; a global list, an attribute or an iterator is not seen",
    )


def _short(values: Sequence[Any]) -> str:
    text = str(values)
    return text if len(text) < 120 else text[:117] + "…"


def _last_parameter(author: Author) -> str:
    code = author.__code__
    required = code.co_argcount - len(author.__defaults__ or ())
    return code.co_varnames[required - 1] if required else "block"


def _trace(trace: Trace, role: str, author: Author, params: Sequence[Any]) -> Any:
    """Trace one function; a parameter is (name, bytes) or the result of a key schedule. Returns what it
    returns."""
    block = Block()
    function = Function(role, [], block)
    trace.blocks = [block]
    with tracing(trace):
        args = [
            _bytes_parameter(function, *p)
            if isinstance(p, tuple) and isinstance(p[0], str)
            else _keys_parameter(function, p)
            for p in params
        ]
        result = run_author_function(author, *args)
        outputs = _outputs(block, result, role)
        if outputs is None:
            raise _wrong_result(author, role)
        block.outputs = outputs
    function.results = [x.type for x in block.outputs]
    trace.functions.append(function)
    return result


def _bytes_parameter(function: Function, name: str, count: int) -> vec:
    return _vector_parameter(function, name, 8, count)


def _vector_parameter(function: Function, name: str, width: int, count: int) -> vec:
    from .trace import Address

    array = Value(ArrayType(width, (count,)), name)
    function.params.append(array)
    words = []
    for n in range(count):
        value = Value(width, f"{name}{n}")
        function.block.ops.append(Op("load", [array], [value], [Address(None, n)]))
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
        return _vector_parameter(
            function, (keys[0].node.name if keys[0].node else "") or "key", keys[0].width, len(keys)
        )
    if isinstance(keys, list | tuple):
        return type(keys)(_keys_parameter(function, k) for k in keys)
    raise complain(
        "D023",
        f"a key schedule returns a {type(keys).__name__}",
        help="return arrays and vectors of words, or a tuple of them",
    )


def _wrong_result(author: Author, role: str) -> DescriptionError:
    code = author.__code__
    place = Place(code.co_filename, code.co_firstlineno)
    what = "the bytes of the block" if role in BLOCK_ROLES else "arrays, vectors of words, or a tuple of them"
    return DescriptionError(
        "D023", f"`{role}` must return {what}", places=[place], help="end it with `return …`"
    )


def _outputs(block: Block, result: Any, role: str) -> list[Any] | None:
    """Return the values that a function returns: each array, each vector as an array, each word; None:
    something else."""
    if isinstance(result, Array):
        return [result.node]
    if isinstance(result, Word) and result.node is not None and role not in BLOCK_ROLES:
        return [result.node]
    if isinstance(result, vec) or (isinstance(result, list) and role in BLOCK_ROLES):
        if not all(isinstance(w, Word) and (w.width == 8 or role not in BLOCK_ROLES) for w in result):
            return None
        array = Value(ArrayType(result[0].width, (len(result),)), "out" if role in BLOCK_ROLES else "key")
        block.ops.append(Op("array", list(result), [array]))
        return [array]
    if isinstance(result, list | tuple) and role not in BLOCK_ROLES:
        parts = [_outputs(block, part, role) for part in result]
        return None if None in parts else [x for part in parts for x in part or []]
    return None


def numbers(keys: Any) -> list[Any]:
    """Return the round keys of a plain run as the engine takes them: flat lists of numbers, one per array or
    vector."""
    if isinstance(keys, Array):
        return [[w.value if w is not None else None for w in keys.cells or []]]
    if isinstance(keys, vec):
        return [[w.value for w in keys]]
    if isinstance(keys, list | tuple):
        return [x for k in keys for x in numbers(k)]
    return [keys.value]


def _read_only(keys: Any) -> Any:
    """Mark the arrays of a key schedule as read-only, without the wrapping of a ring: what ``encrypt`` gets
    when compiled."""
    if isinstance(keys, Array):
        keys.read_only, keys.wrap = True, False
    elif isinstance(keys, list | tuple):
        for k in keys:
            _read_only(k)
    return keys


def _used_functions(functions: Sequence[Function]) -> list[Function]:
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
