"""A function: a description whose output may have another length than its input, with a key or without."""

from __future__ import annotations

from typing import Any

from .compiling import Author
from .naming import check_function_sizes
from .permutation import Rounded
from .shapes import FUNCTION, FUNCTION_WITHOUT_KEY, Shape


class Function(Rounded):
    """A function of an input, and of a key if it takes one; nothing undoes it.

    Parameters
    ----------
    name : str
        The name as its paper writes it.
    input_bits, output_bits : int
        Sizes in bits.
    structure, source : str
        As those of `Cipher`.
    key_bits : tuple of int
        Key sizes in bits. Empty: there is no key, and no `key_schedule`.
    rounds : tuple of int
        As those of `Permutation`.
    slug, aliases : str, tuple of str
        As those of `Cipher`.
    """

    def __init__(
        self,
        name: str,
        input_bits: int,
        output_bits: int,
        structure: str,
        source: str,
        key_bits: tuple[int, ...] = (),
        rounds: tuple[int, ...] = (),
        slug: str = "",
        aliases: tuple[str, ...] = (),
    ) -> None:
        check_function_sizes(name, (input_bits, output_bits), key_bits, rounds, structure, source)
        self._output_bits = output_bits
        super().__init__(name, input_bits, structure, source, tuple(key_bits), rounds, slug, aliases)

    @property
    def shape(self) -> Shape:
        """What functions it has: `evaluate`, and a key schedule if there is a key."""
        return FUNCTION if any(self.key_bits) else FUNCTION_WITHOUT_KEY

    @property
    def output_bits(self) -> int:
        """Bits of an output."""
        return self._output_bits

    def evaluate(self, function: Author | None = None, *, form: str = "") -> Any:
        """Decorate the function from round keys, if there is a key, and the input's bytes to the output's."""
        return self._register("evaluate", function, "", form)
