"""XTEA. R. M. Needham, D. J. Wheeler: TEA Extensions, University of Cambridge, October 1997 [NW97]: words; here they are big-endian."""

from cipherassay.lang import *

xtea = Cipher("XTEA", block_bits=64, key_bits=(128,), structure="Feistel", source="[NW97]")
N = 32                                               # cycles, of two rounds each
DELTA = 0x9E3779B9

@xtea.key_schedule                                   # the words of the key: each round selects one by bits of the sum
def key_schedule(key):
    k = array(u32, 4)
    k[:] = be_words(key)
    return k

def f(z):                                            # the mixing of a half
    return ((z << 4) ^ (z >> 5)) + z

@xtea.encrypt                                        # coding
def encrypt(k, plaintext):
    y, z = be_words(plaintext)
    sum = u32(0)
    for _ in rounds(N):
        y += f(z) ^ (sum + k[bits(sum, 0, 2)])
        sum += DELTA
        z += f(y) ^ (sum + k[bits(sum, 11, 2)])
    return be_bytes(y, z)

@xtea.decrypt                                        # decoding
def decrypt(k, ciphertext):
    y, z = be_words(ciphertext)
    sum = u32(N * DELTA % 2**32)
    for _ in rounds(N):
        z -= f(y) ^ (sum + k[bits(sum, 11, 2)])
        sum -= DELTA
        y -= f(z) ^ (sum + k[bits(sum, 0, 2)])
    return be_bytes(y, z)
