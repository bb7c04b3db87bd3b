"""RC6-32/20/b. R. L. Rivest, M. J. B. Robshaw, R. Sidney, Y. L. Yin: The RC6 Block Cipher, version 1.1, August 1998 [RRSY98]."""

from cipherassay.lang import *

rc6 = Cipher("RC6", key_bits=(128, 192, 256), structure="generalised Feistel", source="[RRSY98]")
w, r, lg_w = 32, 20, 5                               # section 2: RC6-w/r/b
P32, Q32 = 0xB7E15163, 0x9E3779B9                    # section 2.1: Odd((e - 2) 2^w), Odd((phi - 1) 2^w)

@rc6.key_schedule                                    # section 2.1
def key_schedule(K):
    L = ring(u32, len(K) // 4)
    L[:] = le_words(K)
    S = ring(u32, 2 * r + 4)
    S[0] = P32
    for i in rounds(1, 2 * r + 4):
        S[i] = S[i - 1] + Q32
    A, B = u32(0), u32(0)
    for s in rounds(3 * max(len(L), len(S))):        # S and L are rings: their indices wrap
        A = S[s] = rotl(S[s] + A + B, 3)
        B = L[s] = rotl(L[s] + A + B, A + B)
    return S

@rc6.encrypt                                         # section 2.2
def encrypt(S, plaintext):
    A, B, C, D = le_words(plaintext)
    B += S[0]
    D += S[1]
    for i in rounds(1, r + 1):
        t = rotl(B * (2 * B + 1), lg_w)
        u = rotl(D * (2 * D + 1), lg_w)
        A = rotl(A ^ t, u) + S[2 * i]
        C = rotl(C ^ u, t) + S[2 * i + 1]
        A, B, C, D = B, C, D, A
    A += S[2 * r + 2]
    C += S[2 * r + 3]
    return le_bytes(A, B, C, D)

@rc6.decrypt                                         # section 2.2
def decrypt(S, ciphertext):
    A, B, C, D = le_words(ciphertext)
    C -= S[2 * r + 3]
    A -= S[2 * r + 2]
    for i in rounds(r, 0, -1):
        A, B, C, D = D, A, B, C
        u = rotl(D * (2 * D + 1), lg_w)
        t = rotl(B * (2 * B + 1), lg_w)
        C = rotr(C - S[2 * i + 1], t) ^ u
        A = rotr(A - S[2 * i], u) ^ t
    D -= S[1]
    B -= S[0]
    return le_bytes(A, B, C, D)
