"""A cipher: its functions as the author wrote them, run plainly or compiled into a program."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from cipherassay.errors import DescriptionError, UsageError, nearest

from .agreement import compare
from .arrays import Array
from .cleanup import check_scope, remove_unused
from .compiling import (
    Author,
    Inputs,
    block_parameters,
    check_block,
    trace_function,
    used_functions,
    wrong_length,
    wrong_result,
)
from .naming import check_aliases, check_choice_name, check_cipher, check_function, check_slug, slug_of
from .odd_inverse import chosen_strategy
from .run import run_author_function
from .shapes import BLOCK_CIPHER, Direction, Shape, schedule_for
from .structures import structure_functions
from .text import program_text
from .trace import Trace, tracing
from .vec import vec
from .word import Word

if TYPE_CHECKING:
    from cipherassay._engine import Program


_made: ContextVar[list[Cipher] | None] = ContextVar("made", default=None)


@contextmanager
def collecting() -> Iterator[list[Cipher]]:
    """Give the list of the ciphers that are made in the ``with`` block."""
    made: list[Cipher] = []
    token = _made.set(made)
    try:
        yield made
    finally:
        _made.reset(token)


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
    aliases : tuple of str
        Other names that people call it by.
    tweak_bits : int
        Size of the tweak in bits, which `encrypt` and `decrypt` take before the block; 0: there is none.
    """

    name: str
    key_bits: tuple[int, ...]
    structure: str
    source: str
    block_bits: int = 128
    nist_byte_order: str = "as-is"
    file: str = ""
    slug: str = ""
    aliases: tuple[str, ...] = ()
    tweak_bits: int = 0
    functions: dict[tuple[str, str, str], Author] = field(default_factory=dict, repr=False)
    """By role, variant and form."""
    _compiled: dict[tuple[int, str, str, bool, str], Program] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        self._check()
        check_aliases(self.aliases)
        self.slug = check_slug(self.slug or slug_of(self.name))
        if (made := _made.get()) is not None:
            made.append(self)

    def _check(self) -> None:
        check_cipher(self.name, self.key_bits, self.block_bits, self.structure, self.source, self.tweak_bits)

    @property
    def shape(self) -> Shape:
        """Which functions it has."""
        return BLOCK_CIPHER

    @property
    def input_bits(self) -> int:
        """Bits of what it takes beside the keys: the block, and the tweak if it has one."""
        return self.tweak_bits + self.block_bits

    @property
    def output_bits(self) -> int:
        """Bits of what it makes of a block: as many, but for a function."""
        return self.block_bits

    @property
    def sizes(self) -> tuple[int, int]:
        """Bytes of an input, and of what it makes of one."""
        return self.input_bits // 8, self.output_bits // 8

    @property
    def tweak_bytes(self) -> int:
        """Bytes of the tweak, which lies behind the block in memory; 0: there is none."""
        return self.tweak_bits // 8

    @property
    def variants(self) -> tuple[str, ...]:
        """Variants that compute something else (an earlier key schedule), besides the default one."""
        return tuple(sorted({v for _, v, _ in self.functions if v}))

    @property
    def forms(self) -> tuple[str, ...]:
        """Alternative formulations that compute the same, besides the literal one."""
        return tuple(sorted({f for _, _, f in self.functions if f}))

    @property
    def directions(self) -> tuple[Direction, ...]:
        """What it does with a block: ``encrypt``, and ``decrypt`` unless the author left it out."""
        forward, backward = self.shape.forward, self.shape.backward
        return (forward, backward) if backward and self.author_function(backward) else (forward,)

    @property
    def keyed(self) -> bool:
        """Whether it takes a key."""
        return bool(self.shape.schedules)

    def schedule(self, direction: str, variant: str = "", form: str = "") -> str:
        """Return the function that makes the keys of a direction; empty: there are no keys."""
        has = [one for one in self.shape.schedules if self.author_function(one, variant, form)]
        return schedule_for(direction, has)

    def parameters(self, variant: str) -> tuple[int, ...]:
        """Return the numbers that functions take after the block, which a variant may choose."""
        return ()

    def _register(self, role: str, function: Author | None, variant: str, form: str) -> Any:
        check_choice_name("variant", variant)
        check_choice_name("form", form)

        def register(author: Author) -> Author:
            check_function(role, author, self.shape)
            self.functions[role, variant, form] = author
            self._compiled.clear()  # at a prompt a function may be defined anew
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

    def demand_key(self, what: str) -> None:
        """Raise UsageError (U038) where there is no key, for what is made for ciphers alone."""
        if not self.keyed:
            raise UsageError(
                "U038",
                f"{what} for ciphers, and {self.name} is a {self.shape.kind}: it takes no key",
                help="what is made of it takes no options for keys",
            )

    def key_option(self, key_bits: int) -> str:
        """Return the option of commands that says the key size; nothing where there is none."""
        return f" --key-bits {key_bits}" if self.keyed else ""

    def keys_text(self, key_bits: int) -> str:
        """Return what titles say of the key: ``, 128-bit keys``; nothing where there is none."""
        return f", {key_bits}-bit keys" if self.keyed else ""

    def key_size(self, asked: int = 0) -> int:
        """Return the key size that is asked for in bits, the first one for 0; raises UsageError."""
        size = asked or self.key_bits[0]
        if size:
            self.demand_key("key sizes are")
        if size not in self.key_bits:
            known = ", ".join(map(str, self.key_bits))
            raise UsageError(
                "U010", f"{self.name} has no key size of {size} bits", help=f"its key sizes: {known}"
            )
        return size

    def check_choice(self, key_bits: int, variant: str = "", form: str = "") -> None:
        """Raise UsageError (U010 to U012) for a key size, variant or form that the cipher lacks."""
        self.key_size(key_bits)
        if variant and variant not in self.variants:
            raise UsageError(
                "U011", f"{self.name} has no variant `{variant}`", help=nearest(variant, self.variants)
            )
        if form and form not in self.forms:
            raise UsageError("U012", f"{self.name} has no form `{form}`", help=nearest(form, self.forms))

    def run(self, role: str, *args: Any, variant: str = "", form: str = "") -> Any:
        """Call a function plainly: bytes in, bytes out for blocks; the key schedule returns what ``encrypt``
        takes. An argument None stands for the keys where there are none; a tweak lies behind its block."""
        author = self.author_function(role, variant, form)
        if author is None:
            raise UsageError(
                "U013", f"{self.name} has no `{role}`", help=nearest(role, (r for r, _, _ in self.functions))
            )
        given = [a for a in args if a is not None]
        if given and role not in self.shape.schedules:
            given[-1:] = self._parted(given[-1])
        words = [vec(*(Word(8, b) for b in a)) if isinstance(a, bytes | bytearray) else a for a in given]
        choices = () if role in self.shape.schedules else self.parameters(variant)
        with tracing(None):
            result = run_author_function(author, *words, *choices)
        if role in self.shape.schedules:
            return _read_only(result)
        if not isinstance(result, list) or any(not isinstance(w, Word) or w.width != 8 for w in result):
            raise wrong_result(author, role)
        if len(result) != self.output_bits // 8:
            raise wrong_length(author, role, len(result), self.output_bits // 8)
        return bytes(w.value for w in result)

    def _parted(self, given: bytes) -> list[bytes]:
        """Return the parts of an input as the functions take them."""
        size = self.block_bits // 8
        return [given[size:], given[:size]] if self.tweak_bytes else [given]

    def compile(
        self, key_bits: int = 0, variant: str = "", form: str = "", *, structures: bool = False
    ) -> Program:
        """Compile all functions for one key size (0: the first), and compare the program with a plain run on
        random words.

        With ``structures`` the functions that tables were made from are functions of the program, too.

        Raises
        ------
        DescriptionError
            What the language refuses, at its place; D015 where program and plain run differ; D026 where a
            result is no block.
        UsageError
            A key size, variant or form that the cipher lacks.
        """
        key_bits = self.key_size(key_bits)
        self.check_choice(key_bits, variant, form)
        key = (key_bits, variant, form, structures, chosen_strategy())
        if key not in self._compiled:
            from cipherassay._engine import Program

            program = Program.parse(self.program_text(key_bits, variant, form, structures=structures))
            self._self_check(program, key_bits, variant, form)
            self._compiled[key] = program
        return self._compiled[key]

    def program_text(
        self, key_bits: int, variant: str = "", form: str = "", *, structures: bool = False
    ) -> str:
        """Return the text form of the program for one key size, not yet checked."""
        self.check_choice(key_bits, variant, form)
        trace = Trace()
        shapes: dict[str, Any] = {}
        roles = [r for r in self.shape.roles if self.author_function(r, variant, form)]
        for missing in sorted(set(self.shape.required) - set(roles), reverse=True):
            raise DescriptionError(
                "D022",
                f"{self.name} has no `{missing}`",
                help=f"decorate a function with `@{self.slug}.{missing}`",
            )
        for role in roles:
            author = self.author_function(role, variant, form)
            assert author is not None
            if role in self.shape.schedules:
                shapes[role] = trace_function(trace, role, author, [Inputs([("key", key_bits // 8)])])
            else:
                schedule = self.schedule(role, variant, form)
                numbers = self.parameters(variant)
                sizes = [bits // 8 for bits in (self.tweak_bits, self.block_bits) if bits]
                parts = Inputs(zip(block_parameters(author, len(sizes), len(numbers)), sizes, strict=True))
                keys = [shapes[schedule]] if schedule else []
                trace_function(trace, role, author, [*keys, parts], numbers)
                check_block(author, role, trace.functions[-1], self.output_bits // 8)
        functions = used_functions(trace.functions)
        if structures:
            functions = [*structure_functions(trace, functions), *functions]
        for function in trace.functions:
            remove_unused(function)
            check_scope(function)
        meta = [
            ("cipher", self.slug),
            ("key_bits", str(key_bits) if key_bits else ""),
            ("block_bits", str(self.block_bits)),
            ("tweak_bits", str(self.tweak_bits) if self.tweak_bits else ""),
            ("variant", variant),
            ("form", form),
        ]
        meta += [("rounds", str(number)) for number in self.parameters(variant)]
        meta += [("structure", self.structure), ("source", self.source)]
        return program_text(self.name, [(k, v) for k, v in meta if v], functions)

    def _self_check(self, program: Program, key_bits: int, variant: str, form: str) -> None:
        rng = random.Random(f"{self.slug} {key_bits} {variant} {form}")
        key = rng.randbytes(key_bits // 8)
        schedules: dict[str, tuple[Any, list[Any], list[Any]]] = {}
        for direction in self.directions:
            schedule = self.schedule(direction, variant, form)
            block = rng.randbytes(self.input_bits // 8)

            def scheduled(schedule: str = schedule) -> list[Any]:
                return numbers(self.run(schedule, key, variant=variant, form=form))

            plain_keys, before, keys = schedules.get(schedule, (None, [], []))
            # A function may change the keys that it is given.
            if schedule and (plain_keys is None or numbers(plain_keys) != before):
                plain_keys = self.run(schedule, key, variant=variant, form=form)
                keys = program.evaluate(schedule, [key])
                schedules[schedule] = plain_keys, numbers(plain_keys), keys
                compare(self, schedule, numbers(plain_keys), keys, scheduled)

            def computed(
                direction: str = direction, given: Any = plain_keys, block: bytes = block
            ) -> list[Any]:
                return [list(self.run(direction, given, block, variant=variant, form=form))]

            compare(self, direction, computed(), program.evaluate(direction, [*keys, block]), computed)


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
