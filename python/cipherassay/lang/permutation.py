"""A permutation: a description without a key, for one or several numbers of rounds."""

from __future__ import annotations

from typing import Any

from .cipher import Cipher
from .compiling import Author
from .naming import check_permutation
from .shapes import PERMUTATION, Shape

_ROUNDS = "{}-rounds"


class Rounded(Cipher):
    """What takes a number of rounds after its block, and is checked where it is given."""

    rounds: tuple[int, ...]

    def __init__(
        self,
        name: str,
        block_bits: int,
        structure: str,
        source: str,
        key_bits: tuple[int, ...],
        rounds: tuple[int, ...],
        slug: str,
        aliases: tuple[str, ...],
    ) -> None:
        self.rounds = tuple(rounds)
        sizes = key_bits or (0,)
        super().__init__(name, sizes, structure, source, block_bits=block_bits, slug=slug, aliases=aliases)

    def _check(self) -> None:
        """All is checked where it is given."""

    @property
    def variants(self) -> tuple[str, ...]:
        """The numbers of rounds besides the first."""
        return tuple(_ROUNDS.format(n) for n in self.rounds[1:])

    def parameters(self, variant: str) -> tuple[int, ...]:
        """Return the number of rounds of a variant; nothing where there is no choice of it."""
        return tuple(n for n in self.rounds if _ROUNDS.format(n) == variant) or self.rounds[:1]


class Permutation(Rounded):
    """A public permutation: a block, its state, and no key.

    Parameters
    ----------
    name : str
        The name as its paper writes it.
    state_bits : int
        Size of the state in bits.
    structure, source : str
        As those of `Cipher`.
    rounds : tuple of int
        Numbers of rounds; the functions take one after the state. The first is the usual one, each other
        gives a variant, ``8-rounds``. Empty: the functions take the state alone.
    slug, aliases : str, tuple of str
        As those of `Cipher`.
    """

    def __init__(
        self,
        name: str,
        state_bits: int,
        structure: str,
        source: str,
        rounds: tuple[int, ...] = (),
        slug: str = "",
        aliases: tuple[str, ...] = (),
    ) -> None:
        check_permutation(name, state_bits, rounds, structure, source)
        super().__init__(name, state_bits, structure, source, (), rounds, slug, aliases)

    @property
    def shape(self) -> Shape:
        """What functions it has: `permute` and `inverse`."""
        return PERMUTATION

    def permute(self, function: Author | None = None, *, form: str = "") -> Any:
        """Decorate the function from the state's bytes, and the number of rounds if there are several."""
        return self._register("permute", function, "", form)

    def inverse(self, function: Author | None = None, *, form: str = "") -> Any:
        """Decorate the function that undoes `permute`."""
        return self._register("inverse", function, "", form)
