"""SIMON128/128. R. Beaulieu, D. Shors, J. Smith, S. Treatman-Clark, B. Weeks, L. Wingers: The SIMON and SPECK Families, 2013 [BSS13]."""

from cipherassay.lang import *

simon = Cipher("SIMON128", key_bits=(128,), structure="Feistel", source="[BSS13]")
T = 68                                               # table 3.1: rounds for words of 64 bits and two key words
z2 = table(u64, [int(bit) for bit in "10101111011100000011010010011000101000010001111110010110110011"])

def f(x):                                            # section 3.1: the round function
    return (rotl(x, 1) & rotl(x, 8)) ^ rotl(x, 2)

@simon.key_schedule                                  # section 3.2
def key_schedule(key):
    k = array(u64, T)
    k[0:2] = le_words(key, 64)
    for i in rounds(T - 2):
        x = rotr(k[i + 1], 3)
        k[i + 2] = k[i] ^ x ^ rotr(x, 1) ^ z2[i % 62] ^ 0xFFFFFFFFFFFFFFFC
    return k

@simon.encrypt                                       # section 3.1
def encrypt(k, plaintext):
    y, x = le_words(plaintext, 64)
    for i in rounds(T):
        x, y = y ^ f(x) ^ k[i], x
    return le_bytes(y, x)

@simon.decrypt
def decrypt(k, ciphertext):
    y, x = le_words(ciphertext, 64)
    for i in rounds(T - 1, -1, -1):
        x, y = y, x ^ f(y) ^ k[i]
    return le_bytes(y, x)
