"""The language of cipher descriptions: words, vectors, arrays, tables, fields, and loops that stay loops.

A cipher file says ``from cipherassay.lang import *``; the names have two letters and more, so that a cipher
owns ``S``, ``F`` and ``T``.
"""

from .arrays import array, ring, table
from .calls import function
from .cipher import Cipher
from .evaluation import Function
from .field import GF, xor_matrix
from .functions import (
    be_bytes,
    be_words,
    bits,
    bitsliced,
    byte,
    concat,
    equal,
    le_bytes,
    le_words,
    less,
    rotl,
    rotr,
    sbox,
    select,
    zext,
)
from .inverse import inverse
from .loops import rounds, steps
from .odd_inverse import odd_inverse
from .permutation import Permutation
from .vec import join, vec
from .word_types import u8, u16, u32, u64, word

__all__ = [
    "GF",
    "Cipher",
    "Function",
    "Permutation",
    "array",
    "be_bytes",
    "be_words",
    "bits",
    "bitsliced",
    "byte",
    "concat",
    "equal",
    "function",
    "inverse",
    "join",
    "le_bytes",
    "le_words",
    "less",
    "odd_inverse",
    "ring",
    "rotl",
    "rotr",
    "rounds",
    "sbox",
    "select",
    "steps",
    "table",
    "u8",
    "u16",
    "u32",
    "u64",
    "vec",
    "word",
    "xor_matrix",
    "zext",
]
