"""The functions of the Threefish family. N. Ferguson et al.: The Skein Hash Function Family, version 1.3, October 2010, section 3.3."""

from cipherassay.lang import *

C240 = 0x1BD11BDAA9FC1A22                            # section 3.3.2, as changed in version 1.3


def add_threefish(cipher, R, pi, Nr):
    """Give a cipher the functions of Threefish for the rotation constants R_(d,j), the permutation of words and the number of rounds."""
    Nw = len(pi)                                         # words of a block and of a key
    pi_inv = [pi.index(i) for i in range(Nw)]

    @cipher.key_schedule                                 # section 3.3.2: the words of the key and their parity
    def key_schedule(key):
        words = le_words(key, 64)
        k = ring(u64, Nw + 1)
        k[0:Nw] = words
        k[Nw] = u64(C240)
        for word in words:
            k[Nw] = k[Nw] ^ word
        return k

    def extended(tweak):                                 # section 3.3.2: the words of the tweak and their parity
        t = ring(u64, 3)
        t[0:2] = le_words(tweak, 64)
        t[2] = t[0] ^ t[1]
        return t

    def subkey(k, t, s):                                 # section 3.3.2: subkey s, of key and tweak
        v = [k[(s + i) % (Nw + 1)] for i in range(Nw)]
        return vec(*v[:Nw - 3], v[Nw - 3] + t[s % 3], v[Nw - 2] + t[(s + 1) % 3], v[Nw - 1] + s)

    def four_rounds(v, d):                               # section 3.3: MIX (3.3.1) of pairs of words, then the permutation; d is 0 or 4
        for row in R[d:d + 4]:
            for j in range(Nw // 2):
                v[2 * j] = v[2 * j] + v[2 * j + 1]
                v[2 * j + 1] = rotl(v[2 * j + 1], row[j]) ^ v[2 * j]
            v = v[pi]
        return v

    def four_rounds_back(v, d):
        for row in reversed(R[d:d + 4]):
            v = v[pi_inv]
            for j in range(Nw // 2):
                v[2 * j + 1] = rotr(v[2 * j + 1] ^ v[2 * j], row[j])
                v[2 * j] = v[2 * j] - v[2 * j + 1]
        return v

    @cipher.encrypt                                      # section 3.3: a subkey is added before every four rounds and at the end
    def encrypt(k, tweak, plaintext):
        v, t = le_words(plaintext, 64), extended(tweak)
        for s in rounds(0, Nr // 4, 2):
            v = four_rounds(v + subkey(k, t, s), 0)
            v = four_rounds(v + subkey(k, t, s + 1), 4)
        return le_bytes(v + subkey(k, t, Nr // 4))

    @cipher.decrypt                                      # section 3.3: the inverse of each step, in reverse order
    def decrypt(k, tweak, ciphertext):
        t = extended(tweak)
        v = le_words(ciphertext, 64) - subkey(k, t, Nr // 4)
        for s in rounds(Nr // 4 - 2, -2, -2):
            v = four_rounds_back(v, 4) - subkey(k, t, s + 1)
            v = four_rounds_back(v, 0) - subkey(k, t, s)
        return le_bytes(v)
