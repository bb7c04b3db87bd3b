"""Gimli. D. J. Bernstein et al.: Gimli: a cross-platform permutation, CHES 2017 [BKL+17]."""

from cipherassay.lang import *

gimli = Permutation("Gimli", state_bits=384, structure="SPN", source="[BKL+17]")

def SP(x, y, z):                                     # section 2.2: the SP-box of a column
    x, y = rotl(x, 24), rotl(y, 9)
    return z ^ y ^ ((x & y) << 3), y ^ x ^ ((x | z) << 1), x ^ (z << 1) ^ ((y & z) << 2)

@gimli.permute                                       # algorithm 1: a row of four words after another
def permute(state):
    s = le_words(state)
    for r in rounds(24, 0, -1):
        for j in range(4):
            s[j], s[4 + j], s[8 + j] = SP(s[j], s[4 + j], s[8 + j])
        if r % 4 == 0:                               # section 2.3: small swap, round constant
            s = s[[1, 0, 3, 2, 4, 5, 6, 7, 8, 9, 10, 11]]
            s[0] = s[0] ^ 0x9E377900 ^ r
        if r % 4 == 2:                               # section 2.3: big swap
            s = s[[2, 3, 0, 1, 4, 5, 6, 7, 8, 9, 10, 11]]
    return le_bytes(s)
