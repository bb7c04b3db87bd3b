"""SKINNY-128. C. Beierle et al.: The SKINNY Family of Block Ciphers and Its Low-Latency Variant MANTIS, CRYPTO 2016 [BJK16]; the key is the tweakey."""

from cipherassay.ciphers._skinny import add_skinny
from cipherassay.lang import *

skinny = Cipher("SKINNY-128", slug="skinny128", key_bits=(128, 256, 384), structure="SPN", source="[BJK16]")

def s8(x):                                           # section 2.3: SubCells, four times two NORs, a permutation of bits after the first three
    b = [x >> i & 1 for i in range(8)]
    for n in range(4):
        b[4] ^= 1 - (b[7] | b[6])
        b[0] ^= 1 - (b[3] | b[2])
        b = [b[i] for i in ((5, 3, 0, 4, 6, 7, 1, 2) if n < 3 else (0, 2, 1, 3, 4, 5, 6, 7))]
    return sum(bit << i for i, bit in enumerate(b))

S8 = table(u8, [s8(x) for x in range(256)])
add_skinny(skinny, s=8, S=S8, number={1: 40, 2: 48, 3: 56})              # table 1: rounds
