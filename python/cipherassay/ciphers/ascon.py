"""Ascon-p. C. Dobraunig, M. Eichlseder, F. Mendel, M. Schläffer: Ascon v1.2, submission to NIST, 2021 [DEMS21]."""

from cipherassay.lang import *

ascon = Permutation("Ascon-p", slug="ascon", state_bits=320, rounds=(12, 8, 6), structure="SPN", source="[DEMS21]", aliases=("ascon-p",))
S = sbox("4 11 31 20 26 21 9 2 27 5 8 18 29 3 6 28 30 19 7 14 0 13 17 24 16 12 1 25 22 10 15 23")  # section 2.6.2
SHIFTS = ((19, 28), (61, 39), (1, 6), (10, 17), (7, 41))                 # section 2.6.3

def c(i):                                            # section 2.6.1: 0xF0, 0xE1, ..., the last of them 0x4B
    return 0xF0 - 15 * i

def substitute(box, x):                              # section 2.6.2: x0 holds the most significant bits
    return bitsliced(box, x[::-1])[::-1]

def Sigma(x, a, b):                                  # section 2.6.3
    return x ^ rotr(x, a) ^ rotr(x, b)

def Sigma_inv(x, a, b):                              # section 2.6.3, undone: Sigma is 64 times applied the identity
    for j in range(6):
        x = Sigma(x, a << j, b << j)
    return x

@ascon.permute                                       # section 2.6: of the constants the last n
def permute(state, n):
    x = be_words(state, 64)
    for i in rounds(12 - n, 12):
        x[2] = x[2] ^ c(i)
        x = substitute(S, x)
        for k, (a, b) in enumerate(SHIFTS):
            x[k] = Sigma(x[k], a, b)
    return be_bytes(x)

@ascon.inverse                                       # the inverse of each layer, in reverse order
def inverse_of_p(state, n):
    x = be_words(state, 64)
    for i in rounds(11, 11 - n, -1):
        for k, (a, b) in enumerate(SHIFTS):
            x[k] = Sigma_inv(x[k], a, b)
        x = substitute(S.inverse, x)
        x[2] = x[2] ^ c(i)
    return be_bytes(x)
