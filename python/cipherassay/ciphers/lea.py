"""LEA. D. Hong, J.-K. Lee, D.-C. Kim, D. Kwon, K. H. Ryu, D.-G. Lee: LEA: A 128-Bit Block Cipher for Fast Encryption, WISA 2013 [HLK13]."""

from cipherassay.lang import *

lea = Cipher("LEA", key_bits=(128, 192, 256), structure="generalised Feistel", source="[HLK13]")
delta = (0xC3EFE9DB, 0x44626B02, 0x79E27C8A, 0x78DF30EC, 0x715EA49E, 0xC785DA0A, 0xE04EF22A, 0xE5C40957)   # Key Schedule: constants
Nr = {4: 24, 6: 28, 8: 32}                           # rounds for keys of so many words
AMOUNTS = (1, 3, 6, 11, 13, 17)                      # Key Schedule: rotation amounts of the words of T

@lea.key_schedule                                    # Key Schedule, for each of the key sizes
def key_schedule(K):
    T = le_words(K)
    n = len(T)
    RK = array(u32, Nr[n], 6)
    for i in rounds(Nr[n]):
        d = u32(delta[i % n])
        if n < 8:
            for j in range(n):
                T[j] = rotl(T[j] + rotl(d, i + j), AMOUNTS[j])
            RK[i] = T if n == 6 else T[[0, 1, 2, 1, 3, 1]]
        else:                                        # six words of eight a round, in turn
            for j in range(6):
                T[j] = rotl(T[j] + rotl(d, i + j), AMOUNTS[j])
            RK[i] = T[0:6]
            T = T.rotate(6)
    return RK

@lea.encrypt                                         # Encryption
def encrypt(RK, plaintext):
    X = le_words(plaintext)
    for i in rounds(len(RK)):
        X = vec(rotl((X[0] ^ RK[i, 0]) + (X[1] ^ RK[i, 1]), 9),
                rotr((X[1] ^ RK[i, 2]) + (X[2] ^ RK[i, 3]), 5),
                rotr((X[2] ^ RK[i, 4]) + (X[3] ^ RK[i, 5]), 3),
                X[0])
    return le_bytes(X)

@lea.decrypt                                         # Decryption: each step undone
def decrypt(RK, ciphertext):
    X = le_words(ciphertext)
    for i in reversed(rounds(len(RK))):
        a = X[3]
        b = (rotr(X[0], 9) - (a ^ RK[i, 0])) ^ RK[i, 1]
        c = (rotl(X[1], 5) - (b ^ RK[i, 2])) ^ RK[i, 3]
        d = (rotl(X[2], 3) - (c ^ RK[i, 4])) ^ RK[i, 5]
        X = vec(a, b, c, d)
    return le_bytes(X)
