"""A device from a cipher: architecture, key version, directions, strategy."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cipherassay._engine import Design, Program
from cipherassay.errors import DescriptionError, UsageError, nearest
from cipherassay.inputs import program_digest
from cipherassay.lang.shapes import BLOCK_CIPHER, NOUNS, schedule_for

if TYPE_CHECKING:
    from cipherassay.lang.cipher import Cipher

WITH_INTERFACE = ("iterative", "pipelined")
"""Architectures whose Interface registers what the pins bring; they keep keys."""
CORE = "core"
"""The architecture without: a block comes with its key."""
ARCHITECTURES = (*WITH_INTERFACE, CORE)
BOTH = "both"
"""The directions of a device that does what its cipher does with a block, and undoes it."""
DEFAULT = "rounds"
LITERAL = "on-the-fly"
"""The strategy that builds as the hardware paper describes: a register a round, tables, its key schedules."""
NUMBERS = ("iterations", "key_iterations", "parts", "copies")
"""Fields of strategies that may be set behind a name."""
STORAGE = {"flops": "registers", "latches": "latches"}
"""The words for what keeps round keys, and what strategies' files say."""
_FOLDER = Path(__file__).with_name("strategies")


@dataclass(frozen=True)
class Strategy:
    """How a program becomes clocks: passes before it is cut, iterations of a loop per clock, ends merged."""

    name: str
    title: str
    description: str
    passes: tuple[str, ...]
    form: str = ""
    """A form of the cipher's functions to start from; empty for the literal one."""
    iterations: int = 1
    key_iterations: int = 1
    merge_before: bool = False
    merge_after: bool = False
    keys: str = "stored"
    """Where round keys come from: ``stored``, ``window``, ``independent`` or ``auto``."""
    parts: int = 1
    """Clocks that a step of the cipher takes at most: more than one cut inside of a round."""
    ahead: bool = False
    """Round keys are made or selected a clock before they are used, and wait in registers of their own."""
    storage: str = "registers"
    """What keeps round keys that are made once per key: ``registers`` or ``latches``."""
    share: bool = True
    """Steps and directions that exclude each other share operators."""
    copies: int = 1
    """Iterative cores side by side behind one Interface."""
    sweep: bool = False
    """`assay synthesize --strategy best` tries it."""
    needs_form: bool = False
    """A sweep tries it only for ciphers that have its form."""
    architectures: tuple[str, ...] = ARCHITECTURES
    """The architectures that a sweep tries it for."""

    def swept(self, cipher: Cipher, architecture: str) -> bool:
        """Return whether a sweep of a cipher's devices tries it."""
        return self.sweep and self.fits(cipher) and architecture in self.architectures

    def fits(self, cipher: Cipher) -> bool:
        """Return whether a cipher has the form without which the strategy is another."""
        return not self.needs_form or self.form in cipher.forms

    @property
    def structures(self) -> bool:
        """Whether a pass looks for the functions that tables were made from."""
        return any(one.split(":")[0] == "inner-structure" for one in self.passes)


@dataclass(frozen=True)
class Clocks:
    """Planned clock counts of a key size and direction, as the engine's design states them."""

    key_setup: int
    latency: int
    per_block: int
    """From block to block in the same core."""
    copies: int = 1
    """Cores side by side: so many blocks come in ``per_block`` clocks."""

    @property
    def rate(self) -> int | str:
        """The clocks from block to block for people."""
        return rate(self.per_block, self.copies)


@dataclass(frozen=True, eq=False)
class Device:
    """A design with what it was made from."""

    cipher: str
    """Slug, as the file is called."""
    title: str
    """The cipher's name, as it is printed."""
    source: str
    architecture: str
    key: str
    """Key version, as `key_version` has it."""
    direction: str
    """``both``, or the one direction that it computes: ``encrypt``, ``decrypt``, ``permute``, ``inverse``."""
    strategy: Strategy
    programs: dict[int, Program]
    """Per key size the program that the design was made from."""
    design: Design
    roles: tuple[str, str] = (BLOCK_CIPHER.forward, BLOCK_CIPHER.backward)
    """What it does with a block, and what undoes that."""

    @property
    def has_latches(self) -> bool:
        """Whether words of it stand in latches."""
        return any(name.startswith(f"{self.name}_latch_") for name in self.verilog)

    @property
    def keyed(self) -> bool:
        """Whether it takes a key."""
        return "key" in self.inputs

    @property
    def loads_key(self) -> bool:
        """Whether a key is loaded by itself; else it comes with every block, if there is one."""
        return "load_key" in self.inputs

    @property
    def key_sizes(self) -> tuple[int, ...]:
        """Sizes of its keys in bits, in the order of their codes at the pin ``key_size``."""
        return tuple(sorted(self.programs))

    @property
    def size_width(self) -> int:
        """Bits of the pin ``key_size``; 0: there is none, since keys have one size."""
        return self.inputs.get("key_size", 0)

    def size_code(self, bits: int) -> int:
        """Return the code of a key size at the pin ``key_size``; 0 where there is no such pin."""
        return self.key_sizes.index(bits) if self.size_width else 0

    @property
    def size_codes(self) -> str:
        """The codes in words: ``0: 128, 1: 192, 2 and 3: 256 bits``; those beyond the list are the last."""
        *shorter, longest = self.key_sizes
        last, highest = len(shorter), 2**self.size_width - 1
        beyond = f" {'and' if highest == last + 1 else 'to'} {highest}" if highest > last else ""
        codes = [f"{code}: {bits}" for code, bits in enumerate(shorter)]
        return ", ".join([*codes, f"{last}{beyond}: {longest}"]) + " bits"

    @property
    def key_width(self) -> int:
        """Bits of the pin ``key``; 0: there is none."""
        return self.inputs.get("key", 0)

    def operation(self, decrypt: bool) -> str:
        """Return what it does with a block in a direction (True: backward)."""
        return self.roles[decrypt]

    def noun(self, decrypt: bool) -> str:
        """Return what text calls that: ``decryption``."""
        return NOUNS[self.roles[decrypt]]

    def schedule(self, decrypt: bool) -> str:
        """Return the key schedule that a direction runs after: decryption may have one of its own."""
        return schedule_for(self.operation(decrypt), self._functions)

    @property
    def schedules(self) -> tuple[str, ...]:
        """The key schedules of all directions, in the order in which the device runs them."""
        return tuple(dict.fromkeys(self.schedule(decrypt) for decrypt in self.directions))

    @cached_property
    def _functions(self) -> frozenset[str]:
        return frozenset(function["name"] for function in self.programs[min(self.programs)].functions())

    @property
    def name(self) -> str:
        """Name of the top-level module."""
        return self.design.name

    @cached_property
    def pins(self) -> list[tuple[str, str, int]]:
        """Name, direction and width in bits of every pin, without clock and reset."""
        return [(name, direction, sum(words)) for name, direction, words in self.design.ports()]

    @cached_property
    def inputs(self) -> dict[str, int]:
        """Input pins, without clock and reset, with their widths in bits."""
        return {name: width for name, direction, width in self.pins if direction == "input"}

    @property
    def backward_pin(self) -> str:
        """The pin that says the direction of a block; empty in a device of one direction."""
        return self.roles[1] if self.roles[1] in self.inputs else ""

    @cached_property
    def verilog(self) -> dict[str, str]:
        """The texts of its Verilog files by their names."""
        return dict(self.design.files("verilog"))

    @cached_property
    def words(self) -> dict[str, list[int]]:
        """The widths of the words of every pin."""
        return {name: words for name, _, words in self.design.ports()}

    @cached_property
    def clocks(self) -> dict[tuple[int, bool], Clocks]:
        """Planned clock counts per key size and direction (True: decryption)."""
        return {
            (bits, decrypt): Clocks(key_setup, latency, per_block, self.copies)
            for bits, decrypt, key_setup, latency, per_block in self.design.timing()
        }

    @property
    def tweak_bytes(self) -> int:
        """Bytes of the tweak that comes with a block; 0: there is none."""
        return self.inputs.get("tweak", 0) // 8

    @property
    def input_bytes(self) -> int:
        """Bytes of a block, and of its tweak if there is one."""
        return self.inputs["data_in"] // 8 + self.tweak_bytes

    def data_pins(self, given: bytes) -> dict[str, bytes]:
        """Return what the pins of block and tweak get, by the pins' names, of a block with its tweak behind
        it; there may be no such pin."""
        block = self.input_bytes - self.tweak_bytes
        return {"data_in": given[:block], "tweak": given[block:]}

    @property
    def result_bytes(self) -> int:
        """Bytes of a result."""
        return sum(self.words["data_out"]) // 8

    @property
    def directions(self) -> tuple[bool, ...]:
        """The directions that it computes (True: backward)."""
        return tuple(decrypt for bits, decrypt in self.clocks if bits == min(self.programs))

    @property
    def copies(self) -> int:
        """Iterative cores side by side."""
        return self.design.copies

    def block(self, name: str, number: int) -> str:
        """Return the block of that name (``algorithm``) that the data with a number, from 0, go to."""
        return name if self.copies == 1 else f"{name}_{number % self.copies}"

    @property
    def together(self) -> bool:
        """Whether a key may be loaded in the clock of its first block: no key needs a setup."""
        return all(c.key_setup == 0 for c in self.clocks.values())

    @property
    def registers(self) -> dict[str, int]:
        """Register bits per block of the device."""
        return dict(self.design.machines())


def rate(per_block: int, copies: int) -> int | str:
    """Return the clocks from block to block for people: 11, or ``11 for 2 blocks``."""
    return per_block if copies == 1 else f"{per_block} for {copies} blocks"


def strategies() -> list[str]:
    """Return the names of the hardware strategies, sorted."""
    return sorted(path.stem for path in _FOLDER.glob("*.toml"))


@cache
def strategy(name: str = DEFAULT) -> Strategy:
    """Return a hardware strategy by its name, which may set numbers and its storage: ``rounds:iterations=4``.

    Raises
    ------
    UsageError
        ``H304``: there is no such strategy. ``H315``: what follows its name sets nothing of a strategy.
    DescriptionError
        ``H305``: its file cannot be read or has an unknown field.
    """
    file, _, settings = name.partition(":")
    if file not in strategies():
        raise UsageError("H304", f"there is no hardware strategy `{file}`", help=nearest(file, strategies()))
    chosen = read_strategy(_FOLDER / f"{file}.toml")
    if not settings:
        return chosen
    description = f"{chosen.description} Here {settings.replace(',', ', ')}."
    return replace(chosen, name=name, description=description, sweep=False, **_set(settings))


def stored_in(name: str, storage: str) -> str:
    """Return the name of a strategy whose round keys are kept in ``flops`` or ``latches``; empty: as it says.

    Raises
    ------
    UsageError
        ``H306``: storage is neither.
    """
    if not storage:
        return name
    choice("storage", storage, tuple(STORAGE))
    return f"{name}{',' if ':' in name else ':'}storage={storage}"


def _set(settings: str) -> dict[str, Any]:
    """Return the fields that a text such as ``iterations=2,storage=flops`` sets."""
    found: dict[str, Any] = {}
    for one in settings.split(","):
        field, _, value = one.partition("=")
        if field == "storage" and value in STORAGE:
            found[field] = STORAGE[value]
            continue
        if field not in NUMBERS or not re.fullmatch(r"[0-9]{1,3}", value):
            raise UsageError(
                "H315",
                f"`{one}` sets nothing of a strategy",
                help=f"a number of up to three digits for {', '.join(NUMBERS)}, as in `rounds:iterations=4`, "
                f"or storage={' or storage='.join(STORAGE)}",
            )
        found[field] = int(value)
    return found


def read_strategy(path: Path) -> Strategy:
    """Return the strategy that a file describes; raises DescriptionError ``H305``."""
    try:
        fields: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
        lists = {name: tuple(fields[name]) for name in ("passes", "architectures") if name in fields}
        return Strategy(**{"name": path.stem} | fields | lists)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, TypeError) as error:
        known = [name for name in Strategy.__dataclass_fields__ if name != "name"]
        raise DescriptionError(
            "H305",
            f"{path.name} is not a hardware strategy",
            notes=[str(error)],
            help=f"known fields: {', '.join(known)}",
        ) from None


def choice(what: str, word: str, known: Sequence[str]) -> str:
    """Return a word of a vocabulary; raises UsageError ``H306`` for another."""
    if word not in known:
        raise UsageError("H306", f"there is no {what} `{word}`", help=f"known: {', '.join(known)}")
    return word


def directions(cipher: Cipher) -> tuple[str, ...]:
    """Return the words for the directions of a device of a cipher."""
    return (cipher.shape.forward, *filter(None, [cipher.shape.backward]), BOTH)


def build(
    cipher: Cipher,
    architecture: str = "iterative",
    key: str = "",
    direction: str = "both",
    strategy_name: str = DEFAULT,
    variant: str = "",
    *,
    share: bool = True,
) -> Device:
    """Build a device; without a key version, one for the cipher's first key size.

    Without ``share`` every operation has an operator of its own, whatever the strategy says: only then does
    each keep its line of the description. Of a cipher that only encrypts, a device for both directions is one
    that encrypts. What has no key is built without pins and blocks for one.

    Raises
    ------
    UsageError
        ``H304``, ``H306``: a word that is not known. ``U010``, ``U011``: the cipher has no such key size or
        variant.
    DescriptionError
        ``H1xx``, ``H3xx``: the architecture cannot serve the cipher, with the line.
    VerificationError
        ``H21x``: the design contradicts itself.
    """
    roles = (cipher.shape.forward, cipher.shape.backward)
    choice("architecture", architecture, ARCHITECTURES)
    choice("direction", direction, directions(cipher))
    chosen = strategy(strategy_name)
    chosen = chosen if share else replace(chosen, share=False)
    direction = cipher.directions[0] if direction == BOTH and len(cipher.directions) == 1 else direction
    key, sizes = key_version(cipher, key)
    programs = {bits: _program(cipher, bits, chosen, variant) for bits in sizes}
    words = (cipher.slug, variant.replace("-", "_"), architecture, key.replace("+", "_"))
    name = "_".join(word for word in words if word)
    if direction != BOTH:
        name = f"{name}_{direction}"
    encrypt, decrypt = (direction in (role, BOTH) for role in roles)
    design = Design.build(
        name, architecture, list(programs.items()), encrypt, decrypt,
        chosen.iterations, chosen.key_iterations, chosen.merge_before, chosen.merge_after,
        chosen.share, chosen.keys, _pads(cipher, sizes, chosen, variant), chosen.parts,
        chosen.ahead, chosen.storage, chosen.copies,
    )  # fmt: skip
    return Device(
        cipher.slug, cipher.name, cipher.source, architecture, key, direction, chosen, programs, design,
        roles,
    )  # fmt: skip


def key_version(cipher: Cipher, word: str) -> tuple[str, tuple[int, ...]]:
    """Return a key version and its key sizes, ascending; without a word, that of the cipher's first key size.

    It is a key size, several as in ``128+256``, or for all N of the cipher together ``Nin1``.

    Raises
    ------
    UsageError
        ``H306``: it is none of these; ``U038``: there is no key.
    """
    if not cipher.keyed:
        if word:
            cipher.demand_key("key versions are")
        return "", cipher.key_bits
    every = key_versions(cipher)[-1]
    known = [str(bits) for bits in cipher.key_bits]
    version = word or known[0]
    words = set(known if version == every else version.split("+"))
    if not words <= set(known):
        choice("key version", version, [*known, *([every] if len(known) > 1 else [])])
    sizes = tuple(sorted(map(int, words)))
    return every if len(sizes) == len(known) else "+".join(map(str, sizes)), sizes


def key_versions(cipher: Cipher) -> tuple[str, ...]:
    """Return the key version of a cipher's first key size, and the one of all sizes if there are several."""
    together = (f"{len(cipher.key_bits)}in1",) if len(cipher.key_bits) > 1 else ()
    return (str(cipher.key_bits[0]), *together)


def program_hashes(cipher: Cipher, key: str, strategy_name: str, variant: str = "") -> dict[int, str]:
    """Return the hash of the text of each program that a device is made from, before passes, per key size.

    Raises
    ------
    AssayError
        Whatever `build` raises of words, and `Cipher.compile`.
    """
    _, sizes = key_version(cipher, key)
    chosen = strategy(strategy_name)

    made_of = ("device's program", variant, _form(cipher, chosen), chosen.structures)
    make = partial(_compiled, cipher, chosen=chosen, variant=variant)
    return {bits: program_digest(cipher, (*made_of, bits), partial(make, bits)) for bits in sizes}


def _program(cipher: Cipher, bits: int, chosen: Strategy, variant: str) -> Program:
    return _compiled(cipher, bits, chosen, variant).passes(list(chosen.passes))


def _compiled(cipher: Cipher, bits: int, chosen: Strategy, variant: str) -> Program:
    return cipher.compile(bits, variant=variant, form=_form(cipher, chosen), structures=chosen.structures)


def _form(cipher: Cipher, chosen: Strategy) -> str:
    return chosen.form if chosen.form in cipher.forms else ""


def _pads(cipher: Cipher, sizes: Sequence[int], chosen: Strategy, variant: str) -> list[tuple[int, bytes]]:
    """Return what follows short keys where they are keys of the longest size then, by the programs."""
    longest = _compiled(cipher, sizes[-1], chosen, variant)
    found = [
        (bits, Design.padding(_compiled(cipher, bits, chosen, variant), longest)) for bits in sizes[:-1]
    ]
    return [(bits, pad) for bits, pad in found if pad is not None]
