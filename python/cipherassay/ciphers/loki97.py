"""LOKI97. L. Brown, J. Pieprzyk: Introducing the New LOKI97 Block Cipher, AES submission, June 1998 [BP98]."""

from functools import reduce
from operator import or_

from cipherassay.lang import *

loki97 = Cipher("LOKI97", key_bits=(128, 192, 256), structure="Feistel", source="[BP98]")
DELTA = 0x9E3779B97F4A7C15                           # key schedule: (sqrt(5) - 1) 2^63

def cubes(width, polynomial):                        # S-boxes: the low byte of the cube of the complement in GF(2^width)
    F, ones = GF(polynomial), (1 << width) - 1
    return [F.mul(x, F.mul(x, x)) & 0xFF for x in range(ones, -1, -1)]

S1 = table(u8, cubes(13, 0x2911))
S2 = table(u8, cubes(11, 0xAA7))
E_LOW = (48, 40, 32, 24, 16, 8, 0)                   # E: the lowest bit that each of the boxes Sa takes, from the second
SA, SB = (S1, S2, S1, S2, S2, S1, S2, S1), (S2, S2, S1, S1, S2, S2, S1, S1)          # the boxes of Sa and Sb, from the highest bits
SIZES = {S1: 13, S2: 11}

def KP(A, B):                                        # KP: bits of the halves of A change places where the low half of B has ones
    high, low, mask = bits(A, 32, 32), bits(A, 0, 32), bits(B, 0, 32)
    change = (high ^ low) & mask
    return concat(low ^ change, high ^ change)

def Sa(x):                                           # E and Sa: eight fields, which overlap, through their boxes
    first = concat(bits(x, 56, 8), bits(x, 0, 5))    # the first takes bits 4 to 0, then 63 to 56
    return [S1[first]] + [box[bits(x, low, SIZES[box])] for box, low in zip(SA[1:], E_LOW, strict=True)]

def P(s):                                            # P: byte b of the result takes bit b of each box, the first box's lowest
    return [concat(*[bits(y, b, 1) for y in s]) for b in range(8)]

def Sb(x, B):                                        # Sb: each byte behind as many bits of the high half of B as its box has room for
    out, low = [], 32
    for y, box in zip(x, reversed(SB), strict=True):
        out.append(box[concat(y, bits(B, low, SIZES[box] - 8))])
        low += SIZES[box] - 8
    return concat(*out)

@function
def f(A, B):                                         # f(A, B) = Sb(P(Sa(E(KP(A, B)))), B)
    return Sb(P(Sa(KP(A, B))), B)

def subkeys(key, f):                                 # key schedule: 48 subkeys
    k = be_words(key, 64)
    K4, K3 = k[0], k[1]
    K2 = f(K3, K4) if len(k) == 2 else k[2]
    K1 = k[3] if len(k) == 4 else f(K4, K3)
    SK = array(u64, range(1, 49))
    total = u64(0)
    for i in rounds(1, 49):
        total = total + DELTA
        SK[i] = K4 ^ f(K1 + K3 + total, K2)           # g_i(K1, K3, K2)
        K4, K3, K2, K1 = K3, K2, K1, SK[i]
    return SK

def encryption(SK, plaintext, f):                    # data computation: 16 rounds
    L, R = be_words(plaintext, 64)
    for i in rounds(1, 17):
        A = R + SK[3 * i - 2]
        L, R = A + SK[3 * i], L ^ f(A, SK[3 * i - 1])
    return be_bytes(R, L)

def decryption(SK, ciphertext, f):                   # data computation: each round undone, the last first
    R, L = be_words(ciphertext, 64)
    for i in rounds(16, 0, -1):
        A = L - SK[3 * i]
        L, R = R ^ f(A, SK[3 * i - 1]), A - SK[3 * i - 2]
    return be_bytes(L, R)

@loki97.key_schedule                                 # key schedule
def key_schedule(key):
    return subkeys(key, f)

@loki97.encrypt                                      # data computation
def encrypt(SK, plaintext):
    return encryption(SK, plaintext, f)

@loki97.decrypt                                      # data computation
def decrypt(SK, ciphertext):
    return decryption(SK, ciphertext, f)

# Form "words": a table spreads the bits of a box over the bytes of a word.
SPREAD = table(u64, [sum((y >> b & 1) << 8 * b for b in range(8)) for y in range(256)], name="P")

def f_words(A, B):                                   # f(A, B)
    s = reduce(or_, [SPREAD[y] << n for n, y in enumerate(Sa(KP(A, B)))])
    return Sb([byte(s, b) for b in range(8)], B)

@loki97.key_schedule(form="words")                   # key schedule
def key_schedule_words(key):
    return subkeys(key, f_words)

@loki97.encrypt(form="words")                        # data computation
def encrypt_words(SK, plaintext):
    return encryption(SK, plaintext, f_words)

@loki97.decrypt(form="words")                        # data computation
def decrypt_words(SK, ciphertext):
    return decryption(SK, ciphertext, f_words)
