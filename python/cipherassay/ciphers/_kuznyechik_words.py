"""Kuznyechik in 64-bit words: each S-box with L behind it is a table, whose entries are two words side by side [RFC7801]."""

from functools import reduce
from operator import xor

from cipherassay.lang import *

def add_words(kuznyechik, F, L, L_inv, Pi):
    """Add the form `words` to the cipher, given its field, L, the inverse of L and its S-box; decryption as in `equivalent-inverse`."""
    def spread(M, n, y):                                 # section 4.3: what byte n of value y gives in all bytes
        return sum(F.mul(int(row[n]), y) << 8 * m for m, row in enumerate(M.rows))

    def halves(values):
        return [x >> 64 * h & (1 << 64) - 1 for x in values for h in range(2)]

    def tables(M, box, name):
        made = []
        for n in range(16):
            of_bits = [spread(M, n, 1 << b) for b in range(8)]
            made.append([reduce(xor, [x for b, x in enumerate(of_bits) if int(y) >> b & 1], 0) for y in box.data])
        return [table(u64, halves(values), name=f"{name}_{n}") for n, values in enumerate(made)]

    LS, LS_inv = tables(L, Pi, "LS"), tables(L_inv, Pi.inverse, "LS_inv")
    C = table(u64, halves(spread(L, 15, n) for n in range(1, 33)))           # section 4.4

    def substituted(T, a):                               # section 4.3: S, then L
        at = [byte(a[n // 8], n % 8) for n in range(16)]
        return vec(*[reduce(xor, [T[n][concat(word(1)(h), x)] for n, x in enumerate(at)]) for h in range(2)])

    def through(box, a):                                 # section 4.3: S alone
        return le_words(box[le_bytes(*a)], 64)

    @kuznyechik.key_schedule(form="words")               # section 4.4
    def key_schedule_words(key):
        k = le_words(key, 64)
        a1, a0 = k[:2], k[2:]
        K = array(u64, range(1, 11), 2)
        K[1], K[2] = a1, a0
        for i in rounds(1, 5):
            for j in rounds(8):
                n = 16 * (i - 1) + 2 * j
                a1, a0 = substituted(LS, a1 ^ vec(C[n], C[n + 1])) ^ a0, a1
            K[2 * i + 1], K[2 * i + 2] = a1, a0
        return K

    @kuznyechik.encrypt(form="words")                    # section 4.5.1
    def encrypt_words(K, plaintext):
        a = le_words(plaintext, 64)
        for i in rounds(1, 10):
            a = substituted(LS, a ^ K[i])
        return le_bytes(*(a ^ K[10]))

    @kuznyechik.key_schedule_decrypt(form="words")       # L^-1 of all keys but the first
    def inverse_keys_words(key):
        K = key_schedule_words(key)
        D = array(u64, range(1, 11), 2)
        D[1] = K[1]
        for i in steps(2, 11):
            D[i] = substituted(LS_inv, through(Pi, K[i]))
        return D

    @kuznyechik.decrypt(form="words")                    # section 4.5.2, L^-1 behind the S-boxes
    def decrypt_words(D, ciphertext):
        a = substituted(LS_inv, le_words(Pi[ciphertext], 64)) ^ D[10]
        for i in rounds(9, 1, -1):
            a = substituted(LS_inv, a) ^ D[i]
        return le_bytes(*(through(Pi.inverse, a) ^ D[1]))
