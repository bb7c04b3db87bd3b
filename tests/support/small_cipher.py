"""A cipher with blocks of 128 bits and little logic, so that its devices are synthesized in seconds."""

TEXT = '''"""Three rounds of exclusive-or and rotation: no cipher for use."""

from cipherassay.lang import *

small = Cipher("Small", key_bits=(128, 192, 256), structure="other", source="tests")

@small.key_schedule
def key_schedule(K):
    W = le_words(K)
    S = ring(u32, 4)
    for i in rounds(4):
        S[i] = W[i] ^ W[len(W) - 1 - i]
    return S

@small.encrypt
def encrypt(S, plaintext):
    A, B, C, D = le_words(plaintext)
    for i in rounds(3):
        A = A ^ S[i]
        A, B, C, D = B, C, D, rotl(A, 3)
    return le_bytes(A, B, C, D)

@small.decrypt
def decrypt(S, ciphertext):
    A, B, C, D = le_words(ciphertext)
    for i in rounds(2, -1, -1):
        A, B, C, D = rotr(D, 3), A, B, C
        A = A ^ S[i]
    return le_bytes(A, B, C, D)
'''
