"""The functions of the Threefish family. N. Ferguson et al.: The Skein Hash Function Family, version 1.3, October 2010, section 3.3."""

from cipherassay.lang import *

C240 = 0x1BD11BDAA9FC1A22                            # section 3.3.2, as changed in version 1.3


def add_threefish(cipher, R, pi, Nr):
    """Give a cipher the functions of Threefish for the rotation constants R_(d,j), the permutation of words and the number of rounds."""
    Nw = len(pi)                                         # words of a block and of a key
    pi_inv = [pi.index(i) for i in range(Nw)]

    @cipher.key_schedule                                 # section 3.3.2: subkeys of the key, its parity, and the tweak with its own
    def key_schedule(key_tweak):
        words = le_words(key_tweak, 64)
        k, t = ring(u64, Nw + 1), ring(u64, 3)
        k[0:Nw], t[0:2] = words[0:Nw], words[Nw:]
        k[Nw] = u64(C240)
        for word in words[0:Nw]:
            k[Nw] = k[Nw] ^ word
        t[2] = words[Nw] ^ words[Nw + 1]
        subkeys = array(u64, Nr // 4 + 1, Nw)
        for s in rounds(Nr // 4 + 1):
            v = [k[s + i] for i in range(Nw)]
            subkeys[s] = vec(*v[:Nw - 3], v[Nw - 3] + t[s], v[Nw - 2] + t[s + 1], v[Nw - 1] + s)
        return subkeys

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
    def encrypt(k, plaintext):
        v = le_words(plaintext, 64)
        for s in rounds(0, Nr // 4, 2):
            v = four_rounds(v + k[s], 0)
            v = four_rounds(v + k[s + 1], 4)
        return le_bytes(v + k[Nr // 4])

    @cipher.decrypt                                      # section 3.3: the inverse of each step, in reverse order
    def decrypt(k, ciphertext):
        v = le_words(ciphertext, 64) - k[Nr // 4]
        for s in rounds(Nr // 4 - 2, -2, -2):
            v = four_rounds_back(v, 4) - k[s + 1]
            v = four_rounds_back(v, 0) - k[s]
        return le_bytes(v)
