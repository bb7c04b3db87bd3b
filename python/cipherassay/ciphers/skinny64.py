"""SKINNY-64. C. Beierle et al.: The SKINNY Family of Block Ciphers and Its Low-Latency Variant MANTIS, CRYPTO 2016 [BJK16]; the key is the tweakey."""

from cipherassay.ciphers._skinny import add_skinny
from cipherassay.lang import *

skinny = Cipher("SKINNY-64", slug="skinny64", block_bits=64, key_bits=(64, 128, 192), structure="SPN", source="[BJK16]")
S4 = table(word(4), [int(x, 16) for x in "C6901A2B385D4E7F"])            # section 2.3: SubCells
add_skinny(skinny, s=4, S=S4, number={1: 32, 2: 36, 3: 40})              # table 1: rounds
