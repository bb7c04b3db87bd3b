"""Threefish-256. N. Ferguson et al.: The Skein Hash Function Family, version 1.3, 2010 [FLS10]; the key is K followed by the tweak T."""

from cipherassay.lang import *

threefish = Cipher("Threefish-256", block_bits=256, key_bits=(384,), structure="ARX", source="[FLS10]")
C240 = 0x1BD11BDAA9FC1A22                            # section 3.3.2
R = [(14, 16), (52, 57), (23, 40), (5, 37), (25, 33), (46, 12), (58, 22), (32, 32)]          # table 4
Nr = 72                                              # section 3.3: rounds

def mix(x0, x1, rotation):                           # section 3.3.1
    y0 = x0 + x1
    return y0, rotl(x1, rotation) ^ y0

def mix_inverse(y0, y1, rotation):
    x1 = rotr(y1 ^ y0, rotation)
    return y0 - x1, x1

@threefish.key_schedule                              # section 3.3.2
def key_schedule(key):
    words = le_words(key, 64)
    k, t = ring(u64, 5), ring(u64, 3)
    k[:] = [*words[0:4], words[0] ^ words[1] ^ words[2] ^ words[3] ^ C240]
    t[:] = [*words[4:6], words[4] ^ words[5]]
    K = array(u64, Nr // 4 + 1, 4)
    for s in rounds(Nr // 4 + 1):
        K[s] = vec(k[s], k[s + 1] + t[s], k[s + 2] + t[s + 1], k[s + 3] + s)
    return K

@threefish.encrypt                                   # section 3.3
def encrypt(K, plaintext):
    v = le_words(plaintext, 64)
    for d in rounds(Nr):
        e = v + K[d // 4] if d % 4 == 0 else v
        f0, f1 = mix(e[0], e[1], R[d % 8][0])
        f2, f3 = mix(e[2], e[3], R[d % 8][1])
        v = vec(f0, f3, f2, f1)                      # table 3: the permutation 0 3 2 1
    return le_bytes(v + K[Nr // 4])

@threefish.decrypt                                   # the inverse of each step, in reverse order
def decrypt(K, ciphertext):
    v = le_words(ciphertext, 64) - K[Nr // 4]
    for d in rounds(Nr - 1, -1, -1):
        e0, e1 = mix_inverse(v[0], v[3], R[d % 8][0])
        e2, e3 = mix_inverse(v[2], v[1], R[d % 8][1])
        e = vec(e0, e1, e2, e3)
        v = e - K[d // 4] if d % 4 == 0 else e
    return le_bytes(v)
