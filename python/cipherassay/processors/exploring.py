"""What is tried for a kernel: of several strategies, circuits and pointers the fewest cycles win."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial

from cipherassay import _engine, strategies
from cipherassay._engine import Processor
from cipherassay.errors import DescriptionError, UsageError
from cipherassay.lang.cipher import Cipher
from cipherassay.processors import featureless, library, narrowing, searching
from cipherassay.processors.compacting import smallest
from cipherassay.processors.kernel import FORMS, SMALL, Choice, Kernel
from cipherassay.processors.layouts import best_layout
from cipherassay.processors.making import make, selection

CIRCUITS = ("infinite", "two-alu", "and-complement")
"""Targets whose stored S-box circuits are tried."""
WIDE = ("never", "cheaper", "keys")
"""Two words are loaded as one never, where that costs less, of the keys in any case."""


def choices(
    cipher: Cipher,
    operation: str,
    form: str = "unrolled",
    key: str = "",
    word_bits: int = 32,
    windows: Sequence[int] = (0,),
) -> list[Choice]:
    """Return what is tried for a kernel: strategies, circuits, pointers; of loops also by ports alone.

    With a key those strategies are tried that make code for one key only; with registers of ``word_bits``
    bits, those for them, too.
    """
    names = strategies_for(cipher, operation, form, one_key=bool(key), word_bits=word_bits)
    return [one for name in names for one in _choices_of(cipher, name, form, key, windows)]


def first_choice(cipher: Cipher, operation: str, form: str, word_bits: int) -> Choice | None:
    """Return the first of the `choices`, if any: no strategy behind it is asked whether it applies."""
    name = next(_serving(cipher, operation, form, one_key=False, word_bits=word_bits), None)
    return _choices_of(cipher, name, form)[0] if name else None


def _choices_of(
    cipher: Cipher, strategy: str, form: str, key: str = "", windows: Sequence[int] = (0,)
) -> list[Choice]:
    return [
        Choice(strategy, target, pointers, depth=depth, key=key, window=window)
        for target in strategies.circuits_worth_trying(cipher, CIRCUITS)
        for pointers in (2, 1)
        for depth in ((0, None) if form != FORMS[0] else (0,))
        for window in windows
    ]


def strategies_for(
    cipher: Cipher, operation: str, form: str = "unrolled", *, one_key: bool = False, word_bits: int = 32
) -> list[str]:
    """Return the strategies that are tried for a kernel; with ``one_key`` those for code for one key."""
    return list(_serving(cipher, operation, form, one_key=one_key, word_bits=word_bits))


def _serving(cipher: Cipher, operation: str, form: str, *, one_key: bool, word_bits: int) -> Iterator[str]:
    for name in strategies.for_processors_of():
        chosen = strategies.load(name)
        fits = chosen.for_each_key == one_key and chosen.word_bits in (0, word_bits)
        if fits and _fits(cipher, name, operation, form) and _applies(cipher, name):
            yield name


def _fits(cipher: Cipher, strategy: str, operation: str, form: str) -> bool:
    chosen = strategies.load(strategy)
    wants_both = operation == "key_setup_both" and "combined" in cipher.forms
    return chosen.loops == (form != FORMS[0]) and bool(chosen.form) == wants_both


_known: dict[tuple[str, str], bool] = {}


def _applies(cipher: Cipher, strategy: str) -> bool:
    """Return whether a strategy applies to a cipher, found once: it is tried for that."""
    asked = str(cipher.file), strategy
    if asked not in _known:
        _known[asked] = strategies.serves(strategies.load(strategy), cipher)
    return _known[asked]


_UNROLLED = f"make {FORMS[0]} code: leave out what asks for loops"
_ROUNDS = "write its rounds as `for i in rounds(n)`, not `range(n)`: such loops are unrolled and scheduled"


def best(
    cipher: Cipher,
    operation: str,
    processor: Processor,
    *,
    key_bits: int = 0,
    variant: str = "",
    form: str = "unrolled",
    strategy: str = "",
    anew: bool = False,
    avoid: Sequence[str] = (),
    key: bytes = b"",
    among: Sequence[str] = (),
    bytes_as_in_c: bool = False,
) -> Kernel:
    """Return the kernel of fewest cycles, then of fewest operations, of all choices or one strategy's.

    Of the form `small`, that of fewest bytes, then of fewest cycles. Without a key size it is for the
    cipher's first.

    ``avoid`` names passes, instructions and recipes that are not to be used; with ``key`` the code is for
    that key, with ``among`` of one of these strategies, with ``bytes_as_in_c`` blocks and keys lie as C's
    arrays of bytes do. Where a longer search kept its choice (`cipherassay.processors.library`), that is
    taken, unless ``anew``.

    Raises
    ------
    UsageError
        M711: no strategy for processors applies; else what `make` raises if no choice succeeds.
    """
    key_bits = cipher.key_size(key_bits)
    kept = None if strategy or avoid or anew or key else library.kept(
        cipher, operation, processor.name, key_bits, variant, form
    )  # fmt: skip
    if kept is not None and (not among or kept.strategy in among):
        kept = replace(kept, bytes=bytes_as_in_c)
        return make(cipher, operation, processor, kept, key_bits=key_bits, variant=variant)
    windows = narrowing.windows(processor)
    every = choices(cipher, operation, form, key.hex(), processor.word_bits, windows)
    names = [strategy] if strategy else among
    tried = [one for one in every if not names or one.strategy in names]
    if strategy and not tried:
        tried = [Choice(strategy, key=key.hex())]
    tried = [replace(one, avoid=tuple(avoid), bytes=bytes_as_in_c) for one in tried]
    if not tried:
        plain = choices(cipher, operation, FORMS[0], key.hex(), processor.word_bits, windows)
        raise UsageError(
            "M711",
            f"no strategy for processors makes {form} code of {cipher.name} {operation}",
            help=_ROUNDS if not plain else "" if form == FORMS[0] else _UNROLLED,
        )
    select = partial(selection, cipher, operation, processor, key_bits=key_bits, variant=variant)
    if form == SMALL and not processor.issues_out_of_order:
        same = partial(make, cipher, operation, processor, key_bits=key_bits, variant=variant)
        return smallest(searching.every(tried, select), same)
    found = [searching.least(tried, select, merit(form))]
    for group in featureless.additions(processor):
        without = replace(found[0].choice, avoid=tuple(dict.fromkeys((*found[0].choice.avoid, *group))))
        found += _made(cipher, operation, processor, without, key_bits, variant)
    return min(found, key=merit(form))


def merit(form: str) -> Callable[[Kernel], tuple[int, int]]:
    """Return what is made small: cycles, then operations; of the form `small` the text, then cycles."""
    if form == SMALL:
        return lambda kernel: (kernel.size, kernel.cycles)
    return lambda kernel: (kernel.cycles, kernel.operations)


def searched(kernel: Kernel, cipher: Cipher, restarts: int = 3) -> Kernel:
    """Return the kernel with the alternatives of selection searched, or the same if nothing is shorter."""
    found = [kernel]
    choice = kernel.choice
    more = () if kernel.processor.issues_out_of_order else WIDE[-1:]
    for wide in dict.fromkeys((choice.wide, *more)):
        avoid, spread, depth, even = _engine.Kernel.search(
            kernel.program, kernel.function, kernel.processor, choice.pointers, wide, restarts, choice.layout
        )
        other = replace(choice, avoid=tuple(avoid), spread=spread, depth=depth, even=even, wide=wide)
        same = partial(make, cipher, kernel.operation, kernel.processor, key_bits=kernel.key_bits)
        found.append(same(other, variant=kernel.variant))
    return min(found, key=lambda one: (one.cycles, one.operations))


def search(
    cipher: Cipher,
    operation: str,
    processor: Processor,
    *,
    form: str = "unrolled",
    variant: str = "",
    key_bits: int = 0,
) -> Iterator[tuple[str, Kernel]]:
    """Search a kernel, keep its choice; yield what was found after each step, with the step's name.

    Without a key size it is for the cipher's first.
    A choice that was kept before stays where nothing better is found.
    """
    key_bits = cipher.key_size(key_bits)
    known = library.kept(cipher, operation, processor.name, key_bits, variant, form)
    found = best(cipher, operation, processor, key_bits=key_bits, variant=variant, form=form, anew=True)
    if known is not None:
        before = _made(cipher, operation, processor, known, key_bits, variant)
        found = min([found, *before], key=merit(form))
    library.keep(found, form)
    yield "strategies", found
    if form == SMALL:  # instructions are searched for cycles
        return
    better = searched(found, cipher)
    if better is not found:
        library.keep(better, form)
    yield "instructions", better
    laid = best_layout(better, cipher)
    if laid is not better:
        library.keep(laid, form)
    yield "layouts", laid


def _made(
    cipher: Cipher, operation: str, processor: Processor, choice: Choice, key_bits: int, variant: str
) -> list[Kernel]:
    try:
        return [make(cipher, operation, processor, choice, key_bits=key_bits, variant=variant)]
    except (DescriptionError, UsageError):  # it was of another state of strategies and instructions
        return []
