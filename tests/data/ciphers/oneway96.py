"""OneWay96, a cipher for tests that only encrypts: three words of 32 bits, keys of 96 bits [none]."""

from cipherassay.lang import *

oneway96 = Cipher("OneWay96", block_bits=96, key_bits=(96,), structure="ARX", source="[none]")

@oneway96.key_schedule                                    # section 1
def key_schedule(key):
    a, b, c = le_words(key)
    K = array(u32, 20, 3)
    for i in rounds(20):
        K[i, 0] = a
        K[i, 1] = b
        K[i, 2] = c
        a, b, c = b + rotl(c, 7), c ^ i, a
    return K

@oneway96.encrypt                                         # section 2
def encrypt(K, p):
    a, b, c = le_words(p)
    for i in rounds(20):
        a = a + (b ^ K[i, 0])
        b = rotl(b, 5) + (c ^ K[i, 1])
        c = rotl(c, 11) ^ (a + K[i, 2])
    return le_bytes(a, b, c)
