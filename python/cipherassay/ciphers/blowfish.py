"""Blowfish. B. Schneier: Description of a New Variable-Length Key, 64-Bit Block Cipher (Blowfish), FSE 1993 [S93]; of the keys of 32 to 448
bits that it allows, three sizes; words are big-endian."""

from cipherassay.lang import *

blowfish = Cipher("Blowfish", block_bits=64, key_bits=(128, 256, 448), structure="Feistel", source="[S93]")

def arctangent(n, one):                              # arctan(1 / n) in units of 1 / one
    total, term, k = 0, one // n, 1
    while term:
        total += term // k if k % 4 == 1 else -(term // k)
        term, k = term // (n * n), k + 2
    return total

def fraction_of_pi(words):                           # subkeys: the hexadecimal digits of pi after the point
    guard = 64
    one = 1 << 32 * words + guard
    pi = 4 * (4 * arctangent(5, one) - arctangent(239, one))
    digits = (pi - 3 * one) >> guard
    return [digits >> 32 * (words - 1 - i) & 0xFFFFFFFF for i in range(words)]

PI = fraction_of_pi(18 + 4 * 256)
P_START = table(u32, PI[:18])                        # subkeys: the P-array, then the four S-boxes
S_START = table(u32, PI[18:])

def F(S, xL):                                        # function F
    a, b, c, d = byte(xL, 3), byte(xL, 2), byte(xL, 1), byte(xL, 0)
    return ((S[0][a] + S[1][b]) ^ S[2][c]) + S[3][d]

def crypt(P, S, xL, xR):                             # encryption of two words: 16 rounds
    for i in rounds(1, 17):
        xL ^= P[i]
        xR ^= F(S, xL)
        xL, xR = xR, xL
    xL, xR = xR, xL                                  # the last exchange undone
    return xL ^ P[18], xR ^ P[17]

@blowfish.key_schedule                               # subkeys: steps 1 to 7
def key_schedule(key):
    k = be_words(key)
    P = array(u32, range(1, 19))
    for i in range(18):
        P[i + 1] = P_START[i] ^ k[i % len(k)]
    S = [array(u32, 256) for _ in range(4)]
    for x in steps(256):
        for j in range(4):
            S[j][x] = S_START[256 * j + x]
    xL, xR = u32(0), u32(0)
    for i in rounds(1, 19, 2):
        xL, xR = crypt(P, S, xL, xR)
        P[i], P[i + 1] = xL, xR
    for j in range(4):
        for x in rounds(0, 256, 2):
            xL, xR = crypt(P, S, xL, xR)
            S[j][x], S[j][x + 1] = xL, xR
    return P, S

@blowfish.encrypt                                    # encryption
def encrypt(keys, plaintext):
    P, S = keys
    return be_bytes(*crypt(P, S, *be_words(plaintext)))

@blowfish.decrypt                                    # decryption: P1 to P18 in reverse order
def decrypt(keys, ciphertext):
    P, S = keys
    xL, xR = be_words(ciphertext)
    for i in rounds(18, 2, -1):
        xL ^= P[i]
        xR ^= F(S, xL)
        xL, xR = xR, xL
    xL, xR = xR, xL
    return be_bytes(xL ^ P[1], xR ^ P[2])
