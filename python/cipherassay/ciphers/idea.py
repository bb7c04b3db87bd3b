"""IDEA. X. Lai: On the Design and Security of Block Ciphers, ETH Series in Information Processing 1, 1992 [L92]; words are big-endian."""

from cipherassay.ciphers._idea_words import add_words
from cipherassay.lang import *

idea = Cipher("IDEA", block_bits=64, key_bits=(128,), structure="Lai-Massey", source="[L92]")

@function
def multiply(a, b):                                  # multiplication modulo 2^16 + 1, 0 standing for 2^16
    product = zext(a, 32) * zext(b, 32)              # 2^16 = -1, so the product is its low half less its high half,
    low, high = bits(product, 0, 16), bits(product, 16, 16)
    result = low - high + select(less(low, high), u16(1), u16(0))        # and once more the modulus where that is negative
    return select(equal(a, 0), 1 - b, select(equal(b, 0), 1 - a, result))

def inverse_of(a):                                   # a^(2^16 - 1), the inverse: a^(2^16) = 1
    y = a
    for _ in rounds(15):
        y = multiply(multiply(y, y), a)
    return y

@idea.key_schedule                                   # key schedule: 52 subkeys, cut from the key rotated by 25 again and again
def key_schedule(key):
    k = be_words(key, 16)
    Z = array(u16, 52)
    for i in range(52):
        if i % 8 == 0 and i > 0:                     # 25 bits: one word and 9 bits
            k = vec(*[k[(j + 1) % 8] << 9 | k[(j + 2) % 8] >> 7 for j in range(8)])
        Z[i] = k[i % 8]
    return Z

@idea.key_schedule_decrypt                           # decryption: inverse subkeys in reverse order
def key_schedule_decrypt(key):
    Z = key_schedule(key)
    K = array(u16, 52)
    for r in rounds(9):
        K[6 * r], K[6 * r + 3] = inverse_of(Z[48 - 6 * r]), inverse_of(Z[51 - 6 * r])
    for r in range(9):
        b, c = Z[49 - 6 * r], Z[50 - 6 * r]
        if 0 < r < 8:
            b, c = c, b                              # the middle words change places after each round but the last
        K[6 * r + 1], K[6 * r + 2] = 0 - b, 0 - c
        if r < 8:
            K[6 * r + 4], K[6 * r + 5] = Z[6 * (7 - r) + 4], Z[6 * (7 - r) + 5]
    return K

@idea.encrypt                                        # encryption: eight rounds and the output transformation
def encrypt(Z, plaintext):
    X1, X2, X3, X4 = be_words(plaintext, 16)
    for r in rounds(8):
        X1, X2 = multiply(X1, Z[6 * r]), X2 + Z[6 * r + 1]
        X3, X4 = X3 + Z[6 * r + 2], multiply(X4, Z[6 * r + 3])
        t0 = multiply(Z[6 * r + 4], X1 ^ X3)
        t1 = multiply(Z[6 * r + 5], t0 + (X2 ^ X4))
        t2 = t0 + t1
        X1, X2, X3, X4 = X1 ^ t1, X3 ^ t1, X2 ^ t2, X4 ^ t2
    return be_bytes(multiply(X1, Z[48]), X3 + Z[49], X2 + Z[50], multiply(X4, Z[51]))

@idea.decrypt                                        # the same with the subkeys of decryption
def decrypt(Z, ciphertext):
    return encrypt(Z, ciphertext)

add_words(idea, key_schedule)                        # form "words"
