"""LOKI97 with 256-bit keys. L. Brown, J. Pieprzyk: Introducing the new LOKI97 Block Cipher, 1998 [BP98]."""

from cipherassay.lang import *

loki97 = Cipher("LOKI97", key_bits=(256,), structure="Feistel", source="[BP98]")
G1, G2 = GF(0x2911), GF(0xAA7)                       # section 3.3: the S-boxes cube
S1 = table(u8, [G1.pow(x ^ 0x1FFF, 3) & 0xFF for x in range(2**13)])
S2 = table(u8, [G2.pow(x ^ 0x7FF, 3) & 0xFF for x in range(2**11)])
Delta = 0x9E3779B97F4A7C15

def KP(A, B):                                        # the keyed permutation: bits of B swap bits of the halves of A
    Al, Ar, Br = bits(A, 32, 32), bits(A, 0, 32), bits(B, 0, 32)
    return concat((Ar & ~Br) | (Al & Br), (Al & ~Br) | (Ar & Br))

def E(x):                                            # the expansion: 96 bits, as the inputs of Sa from the left
    return (concat(bits(x, 56, 8), bits(x, 0, 5)), bits(x, 48, 11), bits(x, 40, 13), bits(x, 32, 11),
            bits(x, 24, 11), bits(x, 16, 13), bits(x, 8, 11), bits(x, 0, 13))

def Sa(v):                                           # the first column of S-boxes
    return [box[x] for box, x in zip((S1, S2, S1, S2, S2, S1, S2, S1), v, strict=True)]

def P(v):                                            # the permutation: bit j of the k-th byte from the left goes to bit 8 j + k
    return [concat(*[bits(b, 7 - j, 1) for b in v]) for j in range(8)]

def Sb(v, B):                                        # the second column, with bits of B
    low, found = 64, []
    for box, x in zip((S2, S2, S1, S1, S2, S2, S1, S1), v, strict=True):
        width = 3 if box is S2 else 5
        low -= width
        found.append(box[concat(x, bits(B, low, width))])
    return concat(*found[::-1])

def f(A, B):                                         # section 3.1: the function f
    return Sb(P(Sa(E(KP(A, B)))), B)

@loki97.key_schedule                                 # section 3.2
def key_schedule(key):
    K4, K3, K2, K1 = be_words(key, 64)
    SK = array(u64, range(1, 49))
    total = u64(0)
    for i in rounds(1, 49):
        total = total + Delta
        K4, K3, K2, K1 = K3, K2, K1, K4 ^ f(K1 + K3 + total, K2)
        SK[i] = K1
    return SK

@loki97.encrypt                                      # section 3.1
def encrypt(SK, plaintext):
    L, R = be_words(plaintext, 64)
    for i in rounds(1, 17):
        A = R + SK[3 * i - 2]
        L, R = A + SK[3 * i], L ^ f(A, SK[3 * i - 1])
    return be_bytes(R, L)

@loki97.decrypt
def decrypt(SK, ciphertext):
    R, L = be_words(ciphertext, 64)
    for i in rounds(16, 0, -1):
        A = L - SK[3 * i]
        L, R = R ^ f(A, SK[3 * i - 1]), A - SK[3 * i - 2]
    return be_bytes(L, R)
