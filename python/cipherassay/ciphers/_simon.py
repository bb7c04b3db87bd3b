"""The functions of the SIMON family, for words of n bits. R. Beaulieu et al.: The SIMON and SPECK Families of Lightweight Block Ciphers, 2013."""

from cipherassay.lang import *

Z = [table(word(1), map(int, 2 * z), name=f"z{j}") for j, z in enumerate((      # section 3.2: twice the period of 62
    "11111010001001010110000111001101111101000100101011000011100110",
    "10001110111110010011000010110101000111011111001001100001011010",
    "10101111011100000011010010011000101000010001111110010110110011",
    "11011011101011000110010111100000010010001010011100110100001111",
    "11010001111001101011011000100000010111000011001010010011101111"))]


def add_simon(cipher, n, T, j):
    """Give a cipher the functions of SIMON2n, for the rounds and the constant sequence z_j for m key words (table 3.1)."""

    def f(x):                                            # section 3.1: the round function
        return rotl(x, 1) & rotl(x, 8) ^ rotl(x, 2)

    @cipher.key_schedule                                 # section 3.2: c = 2^n - 4
    def key_schedule(key):
        K = le_words(key, n)
        m = len(K)
        k = array(word(n), T[m])
        k[0:m] = K
        for i in rounds(m, T[m]):
            t = rotr(k[i - 1], 3)
            if m == 4:
                t = t ^ k[i - 3]
            k[i] = (1 << n) - 4 ^ zext(Z[j[m]][i - m], n) ^ k[i - m] ^ t ^ rotr(t, 1)
        return k

    @cipher.encrypt                                      # section 3.1
    def encrypt(k, plaintext):
        y, x = le_words(plaintext, n)
        for i in rounds(len(k)):
            x, y = y ^ f(x) ^ k[i], x
        return le_bytes(y, x)

    @cipher.decrypt                                      # section 3.1: the inverse of the round function
    def decrypt(k, ciphertext):
        y, x = le_words(ciphertext, n)
        for i in reversed(rounds(len(k))):
            x, y = y, x ^ f(y) ^ k[i]
        return le_bytes(y, x)
