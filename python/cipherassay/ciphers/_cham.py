"""The functions of the CHAM family, for words of w bits. B. Koo et al.: CHAM: A Family of Lightweight Block Ciphers, ICISC 2017."""

from cipherassay.lang import *


def add_cham(cipher, w, r):
    """Give a cipher the functions of CHAM-4w/k, for the number of rounds of each number of key words."""

    @cipher.key_schedule                                 # key schedule
    def key_schedule(key):
        K = le_words(key, w)
        RK = array(word(w), 2 * len(K))
        for i in range(len(K)):
            RK[i] = K[i] ^ rotl(K[i], 1) ^ rotl(K[i], 8)
            RK[(i + len(K)) ^ 1] = K[i] ^ rotl(K[i], 1) ^ rotl(K[i], 11)
        return RK

    @cipher.encrypt                                      # encryption: the amounts of an even and an odd round
    def encrypt(RK, plaintext):
        X = le_words(plaintext, w)
        for i in rounds(r[len(RK) // 2]):
            a, b = (1, 8) if i % 2 == 0 else (8, 1)
            X = vec(X[1], X[2], X[3], rotl((X[0] ^ i) + (rotl(X[1], a) ^ RK[i % len(RK)]), b))
        return le_bytes(X)

    @cipher.decrypt                                      # decryption: each round undone
    def decrypt(RK, ciphertext):
        X = le_words(ciphertext, w)
        for i in reversed(rounds(r[len(RK) // 2])):
            a, b = (1, 8) if i % 2 == 0 else (8, 1)
            X = vec(rotr(X[3], b) - (rotl(X[0], a) ^ RK[i % len(RK)]) ^ i, X[0], X[1], X[2])
        return le_bytes(X)
