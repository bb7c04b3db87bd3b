"""Midori128. S. Banik et al.: Midori: A Block Cipher for Low Energy, ASIACRYPT 2015 [BBI15]; the first byte of a string is cell s_0."""

from cipherassay.ciphers._midori import add_midori
from cipherassay.lang import *

midori = Cipher("Midori128", key_bits=(128,), structure="SPN", source="[BBI15]")
Sb1 = [int(x, 16) for x in "1053E2F7DA9BC846"]       # section 3: the S-box Sb_1
p = [[4, 1, 6, 3, 0, 5, 2, 7], [1, 6, 7, 0, 5, 2, 3, 4], [2, 3, 4, 1, 6, 7, 0, 5], [7, 4, 1, 2, 3, 0, 5, 6]]

def SSb(i):                                          # section 3: SSb_i, two Sb_1 between the bit permutation p_i and its inverse
    def box(x):
        moved = [x >> 7 - n & 1 for n in p[i]]       # bit 0 is the most significant
        y = [Sb1[int("".join(map(str, moved[h:h + 4])), 2)] for h in (0, 4)]
        y = [y[n // 4] >> 3 - n % 4 & 1 for n in range(8)]
        return sum(y[p[i].index(n)] << 7 - n for n in range(8))
    return table(u8, [box(x) for x in range(256)], name=f"SSb{i}")

boxes = [SSb(i) for i in range(4)]
add_midori(midori, lambda data: data, lambda S: S, sub_cell=lambda S: vec(*[boxes[n % 4][S[n]] for n in range(16)]), count=20)
