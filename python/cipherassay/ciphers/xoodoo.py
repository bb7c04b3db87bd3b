"""Xoodoo. J. Daemen, S. Hoffert, G. Van Assche, R. Van Keer: The Design of Xoodoo and Xoofff, ToSC 2018 [DHVV18]."""

from cipherassay.lang import *

xoodoo = Permutation("Xoodoo", state_bits=384, rounds=(12, 6), structure="SPN", source="[DHVV18]")
C = table(u32, [0x058, 0x038, 0x3C0, 0x0D0, 0x120, 0x014, 0x060, 0x02C, 0x380, 0x0F0, 0x1A0, 0x012])   # table 3: C_-11 to C_0

def shift(plane, t, v):                              # section 2: a plane moved by t lanes and v bits
    return vec(*[rotl(lane, v) for lane in plane.rotate(-t)])

@xoodoo.permute                                      # algorithm 1: of the constants the last n
def permute(state, n):
    A = le_words(state)
    A0, A1, A2 = A[0:4], A[4:8], A[8:12]
    for i in rounds(12 - n, 12):
        P = A0 ^ A1 ^ A2                             # theta
        E = shift(P, 1, 5) ^ shift(P, 1, 14)
        A0, A1, A2 = A0 ^ E, A1 ^ E, A2 ^ E
        A1, A2 = shift(A1, 1, 0), shift(A2, 0, 11)   # rho west
        A0 = vec(A0[0] ^ C[i], *A0[1:])              # iota
        B0, B1, B2 = ~A1 & A2, ~A2 & A0, ~A0 & A1    # chi
        A0, A1, A2 = A0 ^ B0, A1 ^ B1, A2 ^ B2
        A1, A2 = shift(A1, 0, 1), shift(A2, 2, 8)    # rho east
    return le_bytes(*A0, *A1, *A2)

@xoodoo.inverse                                      # the inverse of each step, in reverse order
def inverse_of_permute(state, n):
    A = le_words(state)
    A0, A1, A2 = A[0:4], A[4:8], A[8:12]
    for i in rounds(11, 11 - n, -1):
        A1, A2 = shift(A1, 0, -1), shift(A2, -2, -8)
        B0, B1, B2 = ~A1 & A2, ~A2 & A0, ~A0 & A1    # chi of three rows is an involution
        A0, A1, A2 = A0 ^ B0, A1 ^ B1, A2 ^ B2
        A0 = vec(A0[0] ^ C[i], *A0[1:])
        A1, A2 = shift(A1, -1, 0), shift(A2, 0, -11)
        P = A0 ^ A1 ^ A2                             # theta adds E of the parity, and 32 times it is the identity
        for k in range(5):
            P = P ^ shift(P, 1 << k, 5 << k) ^ shift(P, 1 << k, 14 << k)
        E = shift(P, 1, 5) ^ shift(P, 1, 14)
        A0, A1, A2 = A0 ^ E, A1 ^ E, A2 ^ E
    return le_bytes(*A0, *A1, *A2)
