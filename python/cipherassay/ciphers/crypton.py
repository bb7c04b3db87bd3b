"""CRYPTON 1.0. C. H. Lim: A Revised Version of CRYPTON: CRYPTON V1.0, FSE 1999 [L99]; words are little-endian, a row of the state each."""

from cipherassay.lang import *

crypton = Cipher("CRYPTON", key_bits=(128, 192, 256), structure="SPN", source="[L99]", aliases=("crypton-1.0",))
P0 = [15, 14, 10, 1, 11, 5, 8, 13, 9, 3, 2, 7, 0, 6, 4, 12]              # S-boxes: the 4-bit boxes
P1 = [11, 10, 13, 7, 8, 14, 0, 5, 15, 6, 3, 4, 1, 9, 2, 12]
LINEAR = (0x94, 0x41, 0x29, 0x82, 0x28, 0x86, 0x14, 0x61)                # S-boxes: the bits that each bit of the linear map sums, highest first
m = (0xFC, 0xF3, 0xCF, 0x3F)                         # bit permutation: the masking bytes

def S(x):                                            # S-boxes: P, linear map, inverse of P; an involution
    x = P1[x >> 4] << 4 | P0[x & 15]
    y = sum(((row & x).bit_count() & 1) << 7 - i for i, row in enumerate(LINEAR))
    return P0.index(y >> 4) | P1.index(y & 15) << 4

S0 = table(u8, [(S(x) << 1 | S(x) >> 7) & 0xFF for x in range(256)])     # S-boxes: S(x) <<< 1
S1 = table(u8, [(S(x) << 3 | S(x) >> 5) & 0xFF for x in range(256)])     # S-boxes: S(x) <<< 3
BOXES = (S0, S1, S0.inverse, S1.inverse)             # S-boxes: S0 to S3

def gamma(A, even):                                  # byte substitution: odd rounds (0), even rounds (2)
    return vec(*[BOXES[(i + j + even) % 4][A[4 * i + j]] for i in range(4) for j in range(4)])

def tau(A):                                          # byte transposition
    return A[[4 * j + i for i in range(4) for j in range(4)]]

def pi(A, even):                                     # bit permutation of each column, an involution
    B = []
    for k in range(4):
        for j in range(4):
            a = [A[4 * i + j] & m[(i + j + k + even) % 4] for i in range(4)]
            B.append(a[0] ^ a[1] ^ a[2] ^ a[3])
    return vec(*B)

@function
def layers_odd(A):                                   # a round but for its key
    return tau(pi(gamma(A, 0), 0))

@function
def layers_even(A):                                  # a round but for its key
    return tau(pi(gamma(A, 2), 2))

def turned(E, n):                                    # key schedule: each byte of a word turned to the left
    return le_words(vec(*[rotl(b, n) for b in le_bytes(E)]))[0]

def words(A):                                        # key schedule: the rows
    return list(le_words(A))

@crypton.key_schedule                                # key schedule: eight expanded words, then a key of four of them by turns
def key_schedule(K):
    K = vec(u8, *K, *[0] * (32 - len(K)))
    E = words(layers_odd(K[list(range(0, 32, 2))])) + words(layers_even(K[list(range(1, 32, 2))]))
    T0, T1 = E[0] ^ E[1] ^ E[2] ^ E[3], E[4] ^ E[5] ^ E[6] ^ E[7]
    a, b = [x ^ T1 for x in E[:4]], [x ^ T0 for x in E[4:]]
    C = u32(0xA54FF53A)                              # key schedule: constants
    MC = vec(u32, 0xACACACAC, 0x59595959, 0xB2B2B2B2, 0x65656565)
    Ke = array(u8, 13, 16)
    for i in rounds(13):
        if i % 2 == 0:
            Ke[i] = le_bytes(vec(*a) ^ MC ^ vec(C, C, C, C))
            a = [rotl(a[1], 24), rotl(a[2], 16), turned(a[3], 6), turned(a[0], 6)]
        else:
            Ke[i] = le_bytes(vec(*b) ^ MC ^ vec(C, C, C, C))
            b = [turned(b[3], 2), turned(b[0], 2), rotl(b[1], 8), rotl(b[2], 16)]
        C = C + 0x3C6EF372
    Ke[12] = tau(pi(tau(Ke[12]), 2))                 # the output transformation, done to the last key in place of the block
    return Ke

@crypton.encrypt                                     # encryption: 12 rounds; the output transformation undoes the last bit permutation
def encrypt(Ke, P):
    A = P ^ Ke[0]
    for r in rounds(1, 11, 2):
        A = layers_odd(A) ^ Ke[r]
        A = layers_even(A) ^ Ke[r + 1]
    return tau(gamma(layers_odd(A) ^ Ke[11], 2)) ^ Ke[12]

@crypton.decrypt                                     # decryption: each step undone; the boxes of odd rounds undo those of even ones
def decrypt(Ke, C):
    A = gamma(tau(C ^ Ke[12]), 0) ^ Ke[11]
    for r in rounds(9, -1, -2):
        A = gamma(pi(tau(A), 0), 2) ^ Ke[r + 1]
        A = gamma(pi(tau(A), 2), 0) ^ Ke[r]
    return gamma(pi(tau(A), 0), 2) ^ Ke[0]
