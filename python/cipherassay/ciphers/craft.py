"""CRAFT. C. Beierle, G. Leander, A. Moradi, S. Rasoolzadeh: CRAFT: Lightweight Tweakable Block Cipher, ToSC 2019 [BLMR19]"""

from cipherassay.lang import *

craft = Cipher("CRAFT", block_bits=64, key_bits=(128,), tweak_bits=64, structure="SPN", source="[BLMR19]")
S = table(word(4), [int(x, 16) for x in "CAD3EBF789150246"])             # specification: SubBox, an involution
P = [15, 12, 13, 14, 10, 9, 8, 11, 6, 5, 4, 7, 1, 2, 3, 0]               # specification: PermuteNibbles, an involution
Q = [12, 10, 15, 5, 14, 8, 9, 2, 11, 3, 7, 4, 6, 0, 1, 13]               # specification: the permutation of the tweak

def lfsr(width):                                     # specification: AddConstants, the two lowest bits shifted in at the top
    x, found = 1, []
    for _ in range(32):
        found.append(x)
        x = x >> 1 | (x ^ x >> 1 & 1) % 2 << width - 1
    return found

RC4, RC3 = table(word(4), lfsr(4)), table(word(4), lfsr(3))

def nibbles(data):                                   # specification: the state row by row
    return vec(*[bits(b, low, 4) for b in data for low in (4, 0)])

def to_bytes(X):                                     # specification: the nibbles concatenated
    return vec(*[concat(X[i + 1], X[i]) for i in range(0, 16, 2)])

def MC(X):                                           # specification: MixColumn, an involution
    return join(X[0:4] ^ X[8:12] ^ X[12:16], X[4:8] ^ X[12:16], X[8:16])

def add(X, TK, i):                                   # specification: AddConstants_i, AddTweakey_i
    return vec(*X[0:4], X[4] ^ RC4[i], X[5] ^ RC3[i], *X[6:]) ^ TK[i % 4]

@craft.key_schedule                                  # specification: the two halves of the key
def key_schedule(key):
    K = nibbles(key)
    return K[0:16], K[16:32]

def tweakeys(K, tweak):                              # specification: the four tweakeys
    K0, K1 = K
    T, TK = nibbles(tweak), array(word(4), 4, 16)
    TK[0], TK[1], TK[2], TK[3] = K0 ^ T, K1 ^ T, K0 ^ T[Q], K1 ^ T[Q]
    return TK

@craft.encrypt                                       # specification: 31 rounds, and a last one without PermuteNibbles and SubBox
def encrypt(K, tweak, plaintext):
    X, TK = nibbles(plaintext), tweakeys(K, tweak)
    for i in rounds(31):
        X = S[add(MC(X), TK, i)[P]]
    return to_bytes(add(MC(X), TK, 31))

@craft.decrypt                                       # specification: the inverse of each step, in reverse order
def decrypt(K, tweak, ciphertext):
    TK = tweakeys(K, tweak)
    X = MC(add(nibbles(ciphertext), TK, 31))
    for i in rounds(30, -1, -1):
        X = MC(add(S[X][P], TK, i))
    return to_bytes(X)
