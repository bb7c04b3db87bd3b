"""Magma. V. Dolmatov, D. Baryshkov: GOST R 34.12-2015: Block Cipher "Magma", RFC 8891, September 2020 [RFC8891]; words are big-endian."""

from functools import reduce
from operator import xor

from cipherassay.lang import *

magma = Cipher("Magma", block_bits=64, key_bits=(256,), structure="Feistel", source="[RFC8891]", aliases=("gost",))
Pi = [table(word(4), [int(x, 16) for x in row], name=f"Pi{i}") for i, row in enumerate((  # section 4.1: Pi'_0 to Pi'_7
    "C462A5B9E8D703F1", "68239A5C1E47BD0F", "B3582FADE174C960", "C821D4F670A53E9B",
    "7F5A816D093EB42C", "5DF692CAB78143E0", "8E25691CF4B0DA37", "17ED05834FA69CB2"))]

def t(a):                                            # section 4.2
    return concat(*[Pi[i][bits(a, 4 * i, 4)] for i in range(8)])

@function
def g(k, a):                                         # section 4.2: g[k]
    return rotl(t(a + k), 11)

@magma.key_schedule                                  # section 4.3: three times K1 to K8, once K8 to K1
def key_schedule(key):
    K = array(u32, range(1, 33))
    k = be_words(key)
    for i in range(1, 33):
        K[i] = k[(i - 1) % 8] if i <= 24 else k[32 - i]
    return K

@magma.encrypt                                       # basic encryption algorithm: encryption
def encrypt(K, plaintext):
    a1, a0 = be_words(plaintext)
    for i in rounds(1, 33):
        a1, a0 = a0, g(K[i], a0) ^ a1
    return be_bytes(a0, a1)                          # the last round without the exchange

@magma.decrypt                                       # basic encryption algorithm: decryption, the keys in reverse order
def decrypt(K, ciphertext):
    a1, a0 = be_words(ciphertext)
    for i in rounds(32, 0, -1):
        a1, a0 = a0, g(K[i], a0) ^ a1
    return be_bytes(a0, a1)

# Form "words": t and the rotation are tables for a byte of the sum; the key's words stand once.
G = [table(u32, [((v << 11 | v >> 21) & 0xFFFFFFFF) for x in range(256) for v in [(int(Pi[2 * j + 1][x >> 4]) << 4 | int(Pi[2 * j][x & 15])) << 8 * j]],
           name=f"G{j}") for j in range(4)]

def g_words(k, a):                                   # section 4.2: g[k]
    return reduce(xor, [G[j][byte(a + k, j)] for j in range(4)])

@magma.key_schedule(form="words")                    # section 4.3: K1 to K8, two in a word
def key_schedule_words(key):
    return be_words(key, 64)

def two_rounds(a1, a0, k, forward):                  # by both keys of a word
    keys = bits(k, 32, 32), bits(k, 0, 32)
    for one in keys if forward else keys[::-1]:
        a1, a0 = a0, g_words(one, a0) ^ a1
    return a1, a0

@magma.encrypt(form="words")                         # basic encryption algorithm: encryption
def encrypt_words(k, plaintext):
    a1, a0 = be_words(plaintext)
    for i in rounds(16):
        a1, a0 = two_rounds(a1, a0, k[i % 4] if i < 12 else k[15 - i], i < 12)
    return be_bytes(a0, a1)

@magma.decrypt(form="words")                         # basic encryption algorithm: decryption
def decrypt_words(k, ciphertext):
    a1, a0 = be_words(ciphertext)
    for i in rounds(16):
        a1, a0 = two_rounds(a1, a0, k[i] if i < 4 else k[3 - i % 4], i < 4)
    return be_bytes(a0, a1)
