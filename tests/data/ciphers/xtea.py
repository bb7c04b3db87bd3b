"""XTEA. R. Needham, D. Wheeler: Tea extensions, 1997 [NW97]; the sum and the key word that it chooses are kept as round keys."""

from cipherassay.lang import *

xtea = Cipher("XTEA", block_bits=64, key_bits=(128,), structure="Feistel", source="[NW97]")
DELTA = 0x9E3779B9

@xtea.key_schedule
def key_schedule(key):
    k = be_words(key)
    K = array(u32, 64)
    total = 0
    for i in range(32):
        K[2 * i] = k[total & 3] + total
        total = (total + DELTA) % 2**32
        K[2 * i + 1] = k[total >> 11 & 3] + total
    return K

def F(x):
    return (x << 4 ^ x >> 5) + x

@xtea.encrypt
def encrypt(K, plaintext):
    y, z = be_words(plaintext)
    for i in rounds(32):
        y = y + (F(z) ^ K[2 * i])
        z = z + (F(y) ^ K[2 * i + 1])
    return be_bytes(y, z)

@xtea.decrypt
def decrypt(K, ciphertext):
    y, z = be_words(ciphertext)
    for i in rounds(31, -1, -1):
        z = z - (F(y) ^ K[2 * i + 1])
        y = y - (F(z) ^ K[2 * i])
    return be_bytes(y, z)
