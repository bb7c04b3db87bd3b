"""Camellia in 64-bit words: each S-box with P behind it is a table of words [RFC3713]."""

from functools import reduce
from operator import xor

from cipherassay.lang import *

def add_words(camellia, P, boxes, subkeys, encryption, decryption):
    """Add the form `words` to the cipher, given P, the S-boxes of t1 to t8, and what it does with any F, FL and FLINV."""
    def sp(n, box):                                      # section 2.4.1: what t_(n+1) gives in y1 to y8
        spread = sum(int(P.rows[j][n]) << 56 - 8 * j for j in range(8))
        return table(u64, [spread * y for y in box.data], name=f"SP{n + 1}")

    SP = [sp(n, box) for n, box in enumerate(boxes)]

    def F_words(F_IN, KE):                               # section 2.4.1
        x = F_IN ^ KE
        return reduce(xor, [SP[n][byte(x, 7 - n)] for n in range(8)])

    def low(x, KE):                                      # section 2.4.2: the high half changes the low one
        return x ^ zext(rotl(bits(x & KE, 32, 32), 1), 64)

    def high(x, KE):                                     # section 2.4.2: the low half changes the high one
        return x ^ (x | KE) << 32

    def FL_words(FL_IN, KE):                             # section 2.4.2
        return high(low(FL_IN, KE), KE)

    def FLINV_words(FLINV_IN, KE):                       # section 2.4.2
        return low(high(FLINV_IN, KE), KE)

    @camellia.key_schedule(form="words")                 # section 2.2
    def key_schedule_words(K):
        return subkeys(K, F_words)

    @camellia.encrypt(form="words")                      # sections 2.3.1, 2.3.2
    def encrypt_words(keys, M):
        return encryption(keys, M, F_words, FL_words, FLINV_words)

    @camellia.decrypt(form="words")                      # section 2.3.3
    def decrypt_words(keys, C):
        return decryption(keys, C, F_words, FL_words, FLINV_words)
