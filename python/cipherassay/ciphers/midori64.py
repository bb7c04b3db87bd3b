"""Midori64. S. Banik et al.: Midori: A Block Cipher for Low Energy, ASIACRYPT 2015 [BBI15]; the first four bits of a string are cell s_0."""

from cipherassay.ciphers._midori import add_midori
from cipherassay.lang import *

midori = Cipher("Midori64", block_bits=64, key_bits=(128,), structure="SPN", source="[BBI15]")
Sb0 = table(word(4), [int(x, 16) for x in "CAD3EBF789150246"])           # section 3: the S-box Sb_0, an involution

def cells(data):                                     # section 3: the cells of a string
    return vec(*[bits(b, low, 4) for b in data for low in (4, 0)])

def to_bytes(S):                                     # section 3: the cells concatenated
    return vec(*[concat(S[i + 1], S[i]) for i in range(0, 16, 2)])

add_midori(midori, cells, to_bytes, sub_cell=lambda S: Sb0[S], count=16)
