"""HIGHT. D. Hong et al.: HIGHT: A New Block Cipher Suitable for Low-Resource Device, CHES 2006 [HSH06]; P_7 is the first byte, P_0 the last."""

from cipherassay.lang import *

hight = Cipher("HIGHT", block_bits=64, key_bits=(128,), structure="generalised Feistel", source="[HSH06]")

def constants():                                     # key schedule, ConstantGeneration: the LFSR of x^7 + x^3 + 1
    s = [0, 1, 0, 1, 1, 0, 1]
    for i in range(1, 128):
        s.append(s[i + 2] ^ s[i - 1])
    return [sum(s[i + j] << j for j in range(7)) for i in range(128)]

delta = table(u8, constants())

def F0(x):                                           # round function
    return rotl(x, 1) ^ rotl(x, 2) ^ rotl(x, 7)

def F1(x):                                           # round function
    return rotl(x, 3) ^ rotl(x, 4) ^ rotl(x, 6)

@hight.key_schedule                                  # key schedule: WhiteningKeyGeneration, SubkeyGeneration
def key_schedule(key):
    MK = key[::-1]
    WK = vec(*[MK[i + 12] if i < 4 else MK[i - 4] for i in range(8)])
    SK = array(u8, 128)
    for i in range(8):
        for j in range(8):
            SK[16 * i + j] = MK[(j - i) % 8] + delta[16 * i + j]
        for j in range(8):
            SK[16 * i + j + 8] = MK[(j - i) % 8 + 8] + delta[16 * i + j + 8]
    return WK, SK

@hight.encrypt                                       # InitialTransformation, RoundFunction, FinalTransformation
def encrypt(keys, plaintext):
    WK, SK = keys
    P = plaintext[::-1]
    X = vec(P[0] + WK[0], P[1], P[2] ^ WK[1], P[3], P[4] + WK[2], P[5], P[6] ^ WK[3], P[7])
    for i in rounds(32):
        X = vec(X[7] ^ (F0(X[6]) + SK[4 * i + 3]), X[0],
                X[1] + (F1(X[0]) ^ SK[4 * i]), X[2],
                X[3] ^ (F0(X[2]) + SK[4 * i + 1]), X[4],
                X[5] + (F1(X[4]) ^ SK[4 * i + 2]), X[6])
    C = vec(X[1] + WK[4], X[2], X[3] ^ WK[5], X[4], X[5] + WK[6], X[6], X[7] ^ WK[7], X[0])
    return C[::-1]

@hight.decrypt                                       # the decryption process: the inverse of each step, in reverse order
def decrypt(keys, ciphertext):
    WK, SK = keys
    C = ciphertext[::-1]
    X = vec(C[7], C[0] - WK[4], C[1], C[2] ^ WK[5], C[3], C[4] - WK[6], C[5], C[6] ^ WK[7])
    for i in rounds(31, -1, -1):
        X = vec(X[1], X[2] - (F1(X[1]) ^ SK[4 * i]),
                X[3], X[4] ^ (F0(X[3]) + SK[4 * i + 1]),
                X[5], X[6] - (F1(X[5]) ^ SK[4 * i + 2]),
                X[7], X[0] ^ (F0(X[7]) + SK[4 * i + 3]))
    P = vec(X[0] - WK[0], X[1], X[2] ^ WK[1], X[3], X[4] - WK[2], X[5], X[6] ^ WK[3], X[7])
    return P[::-1]
