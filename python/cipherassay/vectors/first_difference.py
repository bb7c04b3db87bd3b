"""The first round and variable in which a cipher departs from a listing of intermediate values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from cipherassay.ciphers import Cipher
from cipherassay.lang.cipher import numbers
from cipherassay.vectors.listings import Listing, Step
from cipherassay.vectors.listings._parts import Token
from cipherassay.vectors.plain_trace import Assignment, plain_trace


@dataclass(frozen=True, slots=True)
class Difference:
    """One place where two computations part."""

    where: str
    """Function and loop counters: ``encrypt, i = 3``."""
    variable: str
    """Empty where the listing's step matches no variable at all."""
    expected: str
    found: str
    reference: str
    """What the expected value was taken from: ``cipher_ecb_iv_subset.txt:34, IV[3]``, ``plain Python``."""

    def __str__(self) -> str:
        variable = f" `{self.variable}`" if self.variable else ""
        return (
            f"first difference: {self.where}:{variable} expected {self.expected}, found {self.found}"
            f" ({self.reference})"
        )


def difference_from_listing(cipher: Cipher, variant: str, listing: Listing) -> Difference | None:
    """Run the cipher plainly on a listing's block and return the first step that it does not reach.

    A step is reached when its words stand in variables of the author's functions, whatever their names are;
    a step made of byte strings when lists of bytes hold them. None: all steps are reached.
    """
    role = cipher.schedule(listing.operation, variant)
    keys = cipher.run(role, listing.key, variant=variant)
    found = _round_key_difference(listing, numbers(keys), role)
    if found is not None or not listing.steps:
        return found
    output, trace = plain_trace(cipher, listing.operation, [keys, listing.input], variant)
    found = _step_difference(listing, trace)
    if found is None and output != listing.output:
        last = listing.steps[-1]
        return Difference(
            f"{listing.operation}, after the last round",
            "",
            listing.output.hex().upper(),
            output.hex().upper(),
            _reference(last),
        )
    return found


def _round_key_difference(listing: Listing, keys: Sequence[Sequence[int]], role: str) -> Difference | None:
    if not listing.round_keys:
        return None
    computed, position = list(keys[0]), 0
    for step in listing.round_keys:
        for token in step.tokens:
            values = list(token) if isinstance(token, bytes) else [token]
            got = computed[position : position + len(values)]
            for n, (expected, found) in enumerate(zip(values, got, strict=False)):
                if expected != found:
                    digits = 2 if isinstance(token, bytes) else 8
                    variable = f"round keys, word {position + n}"
                    texts = f"{expected:0{digits}X}", f"{found:0{digits}X}"
                    return Difference(role, variable, *texts, _reference(step))
            position += len(values)
    return None


def _step_difference(listing: Listing, trace: Sequence[Assignment]) -> Difference | None:
    """Look for the steps in the order of the trace, for each from where the one before was found."""
    state = _State()
    moments = iter(trace)
    holders: list[str] = []
    line: tuple[str, int, str] | None = None
    for step in listing.steps:
        nearest = _Nearest(listing, step, holders, line)
        for moment in moments:
            state.take(moment)
            present = [state.holder(token) for token in step.tokens]
            if all(present):
                holders, line = present, _line(moment)
                break
            nearest.see(moment, state, present)
        else:
            return nearest.difference()
    return None


def _line(moment: Assignment) -> tuple[str, int, str]:
    return moment.function, moment.line, moment.name


class _State:
    """What the variables hold at one moment of a trace, by function and name."""

    def __init__(self) -> None:
        self.held: dict[str, Token] = {}

    def take(self, moment: Assignment) -> None:
        """Take what was assigned; the newest stands last."""
        if moment.width == 8 and moment.changed:
            self._hold(f"{moment.function}.{moment.name}", bytes(max(value, 0) for value in moment.values))
        elif moment.width == 32:
            for name, value in moment.new:
                self._hold(f"{moment.function}.{name}", value)

    def _hold(self, name: str, token: Token) -> None:
        self.held.pop(name, None)
        self.held[name] = token

    def holder(self, token: Token) -> str:
        """Return the newest variable that holds a word or contains a string of bytes, empty if none does."""
        for name in reversed(self.held):
            held = self.held[name]
            if held == token or (isinstance(token, bytes) and isinstance(held, bytes) and token in held):
                return name
        return ""


class _Nearest:
    """The moment at which a step that is never reached should have been reached.

    That is where the line that completed the step before runs the next time; for the first step the earliest
    moment that has most of its words.
    """

    def __init__(
        self, listing: Listing, step: Step, holders: Sequence[str], line: tuple[str, int, str] | None
    ) -> None:
        self.listing, self.step, self.holders, self.line = listing, step, holders, line
        self.where: str = listing.operation
        self.found: list[str] = []
        self.present: list[str] = []
        self.count, self.settled = -1, False

    def see(self, moment: Assignment, state: _State, present: list[str]) -> None:
        """Look at one moment."""
        count = sum(1 for name in present if name)
        again = self.line == _line(moment)
        if self.settled or not (again or count > self.count):
            return
        self.count, self.settled = count, again
        self.where = f"{self.listing.operation}, {moment.where}" if moment.where else self.listing.operation
        held = [state.held.get(name) for name in self.holders]
        self.found = ["" if token is None else token_text(token) for token in held]
        self.present = present

    def difference(self) -> Difference:
        """Say which word is not there; the variable is the one that held its like in the step before."""
        expected = [token_text(token) for token in self.step.tokens]
        if self.settled:
            for name, text, found in zip(self.holders, expected, self.found, strict=True):
                if found and found != text:
                    return Difference(self.where, name.partition(".")[2], text, found, _reference(self.step))
        absent = [text for text, name in zip(expected, self.present, strict=False) if not name] or expected
        return Difference(self.where, "", " ".join(absent), "in no variable", _reference(self.step))


def token_text(token: Token) -> str:
    """Return a word or a string of bytes in hexadecimal."""
    return token.hex().upper() if isinstance(token, bytes) else f"{token:08X}"


def _reference(step: Step) -> str:
    return f"{step.place.file.rsplit('/', 1)[-1]}:{step.place.line}, {step.label}"
