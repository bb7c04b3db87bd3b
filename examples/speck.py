"""Speck128. R. Beaulieu, D. Shors, J. Smith, S. Treatman-Clark, B. Weeks, L. Wingers: The SIMON and SPECK Families, 2013 [BSS13]."""

from cipherassay.lang import *

speck = Cipher("Speck128", key_bits=(128, 192, 256), structure="ARX", source="[BSS13]")
alpha, beta = 8, 3                                   # section 4: rotation amounts for words of 64 bits
T = {2: 32, 3: 33, 4: 34}                            # table 4.1: rounds for m key words

def R(x, y, k):                                      # section 4.1: the round function
    x = (rotr(x, alpha) + y) ^ k
    return x, rotl(y, beta) ^ x

@speck.key_schedule                                  # section 4.2
def key_schedule(key):
    k0, *l = le_words(key, 64)
    m = len(l) + 1
    k = array(u64, T[m])
    k[0] = k0
    L = ring(u64, m - 1)
    L[:] = l
    for i in rounds(T[m] - 1):
        L[i], k[i + 1] = R(L[i], k[i], i)
    return k

@speck.encrypt                                       # section 4.1
def encrypt(k, plaintext):
    y, x = le_words(plaintext, 64)
    for i in rounds(len(k)):
        x, y = R(x, y, k[i])
    return le_bytes(y, x)

@speck.decrypt                                       # section 4.1: the inverse of the round function
def decrypt(k, ciphertext):
    y, x = le_words(ciphertext, 64)
    for i in reversed(rounds(len(k))):
        x, y = inverse(lambda state, k: vec(*R(*state, k)))((x, y), k[i])
    return le_bytes(y, x)
