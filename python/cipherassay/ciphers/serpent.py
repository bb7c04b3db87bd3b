"""Serpent. R. Anderson, E. Biham, L. Knudsen: Serpent: A Proposal for the Advanced Encryption Standard, 1998 [ABK98]; bit-slice form."""

from cipherassay.lang import *

serpent = Cipher("Serpent", key_bits=(128, 192, 256), structure="SPN", source="[ABK98]", nist_byte_order="reversed")
phi = 0x9E3779B9                                     # key schedule: the fractional part of the golden ratio
S = [sbox(row, f"S{n}") for n, row in enumerate((    # appendix: the S-boxes S0 to S7
    "3 8 15 1 10 6 5 11 14 13 4 2 7 0 9 12",
    "15 12 2 7 9 0 5 10 1 11 14 8 6 13 3 4",
    "8 6 7 9 3 12 10 15 13 1 14 4 0 11 5 2",
    "0 15 11 8 12 9 6 3 13 1 2 4 10 7 5 14",
    "1 15 8 3 12 0 11 6 2 5 4 10 9 14 7 13",
    "15 5 2 11 4 10 9 12 0 3 14 8 13 6 7 1",
    "7 2 12 5 8 4 6 11 14 9 1 15 13 3 10 0",
    "1 13 15 0 14 8 2 11 7 4 12 10 9 3 5 6"))]

@serpent.key_schedule                                # the key schedule: prekeys w, then round keys by the S-boxes
def key_schedule(key):
    k = le_words(key)
    if len(k) < 8:
        k = vec(*k, u32(1), *[u32(0)] * (7 - len(k)))                    # one 1 bit, then 0 bits, up to 256 bits
    w = array(u32, range(-8, 132))
    w[-8:0] = k
    for i in rounds(132):
        w[i] = rotl(w[i - 8] ^ w[i - 5] ^ w[i - 3] ^ w[i - 1] ^ phi ^ i, 11)
    K = array(u32, 33, 4)
    for i in rounds(33):
        K[i] = bitsliced(S[(3 - i) % 8], w[4 * i:4 * i + 4])
    return K

def L(X):                                            # the linear transformation
    X0, X1, X2, X3 = X
    X0 = rotl(X0, 13)
    X2 = rotl(X2, 3)
    X1 = X1 ^ X0 ^ X2
    X3 = X3 ^ X2 ^ (X0 << 3)
    X1 = rotl(X1, 1)
    X3 = rotl(X3, 7)
    X0 = X0 ^ X1 ^ X3
    X2 = X2 ^ X3 ^ (X1 << 7)
    X0 = rotl(X0, 5)
    X2 = rotl(X2, 22)
    return vec(X0, X1, X2, X3)

@serpent.encrypt                                     # the cipher, bit-slice form: no initial and final permutation
def encrypt(K, plaintext):
    X = le_words(plaintext)
    for i in rounds(31):
        X = L(bitsliced(S[i % 8], X ^ K[i]))
    X = bitsliced(S[7], X ^ K[31]) ^ K[32]
    return le_bytes(X)

@serpent.decrypt                                     # decryption: inverse S-boxes, inverse linear transformation, keys in reverse order
def decrypt(K, ciphertext):
    X = le_words(ciphertext)
    X = bitsliced(S[7].inverse, X ^ K[32]) ^ K[31]
    for i in rounds(30, -1, -1):
        X = bitsliced(S[i % 8].inverse, inverse(L)(X)) ^ K[i]
    return le_bytes(X)
