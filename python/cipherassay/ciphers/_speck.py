"""The functions of the SPECK family, for words of n bits. R. Beaulieu et al.: The SIMON and SPECK Families of Lightweight Block Ciphers, 2013."""

from cipherassay.lang import *


def add_speck(cipher, n, alpha, beta, T):
    """Give a cipher the functions of SPECK2n, for rotation amounts and the rounds for m key words (table 4.1)."""

    def R(x, y, k):                                      # section 4.1: the round function
        x = (rotr(x, alpha) + y) ^ k
        return x, rotl(y, beta) ^ x

    @cipher.key_schedule                                 # section 4.2
    def key_schedule(key):
        k0, *l = le_words(key, n)
        m = len(l) + 1
        k = array(word(n), T[m])
        k[0] = k0
        L = ring(word(n), m - 1)
        L[:] = l
        for i in rounds(T[m] - 1):
            L[i], k[i + 1] = R(L[i], k[i], i)
        return k

    @cipher.encrypt                                      # section 4.1
    def encrypt(k, plaintext):
        y, x = le_words(plaintext, n)
        for i in rounds(len(k)):
            x, y = R(x, y, k[i])
        return le_bytes(y, x)

    @cipher.decrypt                                      # section 4.1: the inverse of the round function
    def decrypt(k, ciphertext):
        y, x = le_words(ciphertext, n)
        for i in reversed(rounds(len(k))):
            y = rotr(x ^ y, beta)
            x = rotl((x ^ k[i]) - y, alpha)
        return le_bytes(y, x)

    @cipher.decrypt(form="words")                        # the same, one operation a round shorter: z is x before its rotation by alpha
    def decrypt_words(k, ciphertext):
        y, x = le_words(ciphertext, n)
        z = rotr(x, alpha)
        for i in reversed(rounds(len(k))):
            y = rotl(z, alpha - beta) ^ rotr(y, beta)
            z = (rotl(z, alpha) ^ k[i]) - y
        return le_bytes(y, rotl(z, alpha))
