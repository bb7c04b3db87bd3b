"""TWINE. T. Suzaki, K. Minematsu, S. Morioka, E. Kobayashi: TWINE: A Lightweight Block Cipher for Multiple Platforms, SAC 2012 [SMMK12]."""

from cipherassay.lang import *

twine = Cipher("TWINE", block_bits=64, key_bits=(80, 128), structure="generalised Feistel", source="[SMMK12]")
S = table(word(4), [int(x, 16) for x in "C0FA2B9583D71E64"])             # section 2.2: the S-box
pi = [5, 0, 1, 4, 7, 12, 3, 8, 13, 6, 9, 2, 15, 10, 11, 14]              # section 2.2: block h moves to block pi[h]
pi_inv = [pi.index(h) for h in range(16)]
F = GF(0b1000011)
CON = table(word(6), [F.pow(2, r) for r in range(35)])                   # key schedule: CON^r = 2^(r - 1), z^6 + z + 1

def nibbles(data):                                   # section 2.1: the first block holds the first four bits
    return vec(*[bits(b, low, 4) for b in data for low in (4, 0)])

def to_bytes(X):                                     # section 2.1: the blocks concatenated
    return vec(*[concat(X[i + 1], X[i]) for i in range(0, len(X), 2)])

@twine.key_schedule                                  # section 2.3: 80-bit keys; appendix: 128-bit keys
def key_schedule(key):
    WK = nibbles(key)
    long = len(WK) == 32
    chosen = [2, 3, 12, 15, 17, 18, 28, 31] if long else [1, 3, 4, 6, 13, 14, 15, 16]
    RK = array(word(4), range(1, 37), 8)
    for r in rounds(1, 36):
        RK[r] = WK[chosen]
        WK[1] = WK[1] ^ S[WK[0]]
        WK[4] = WK[4] ^ S[WK[16]]
        if long:
            WK[23] = WK[23] ^ S[WK[30]]
        c = CON[r - 1]
        WK[7] = WK[7] ^ zext(bits(c, 3, 3), 4)       # CON_H
        WK[19] = WK[19] ^ zext(bits(c, 0, 3), 4)     # CON_L
        WK = join(WK[0:4].rotate(1), WK[4:]).rotate(4)                   # Rot4 on four blocks, Rot16 on all
    RK[36] = WK[chosen]
    return RK

def substitute(X, k):                                # section 2.2: the odd blocks of a round
    return vec(*[X[h] if h % 2 == 0 else S[X[h - 1] ^ k[h // 2]] ^ X[h] for h in range(16)])

@twine.encrypt                                       # section 2.2: the last round has no block shuffle
def encrypt(RK, plaintext):
    X = nibbles(plaintext)
    for i in rounds(1, 36):
        X = substitute(X, RK[i])[pi_inv]
    return to_bytes(substitute(X, RK[36]))

@twine.decrypt                                       # section 2.2: the same with pi inverted and the round keys in reverse order
def decrypt(RK, ciphertext):
    X = nibbles(ciphertext)
    for i in rounds(36, 1, -1):
        X = substitute(X, RK[i])[pi]
    return to_bytes(substitute(X, RK[1]))
