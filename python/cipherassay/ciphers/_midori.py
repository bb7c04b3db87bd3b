"""The functions of the Midori family. S. Banik et al.: Midori: A Block Cipher for Low Energy, ASIACRYPT 2015; a state is four columns."""

from cipherassay.lang import *

SHUFFLE = [0, 10, 5, 15, 14, 4, 11, 1, 9, 3, 12, 6, 7, 13, 2, 8]         # section 3: ShuffleCell
SHUFFLE_inv = [SHUFFLE.index(i) for i in range(16)]
M = xor_matrix(["234", "134", "124", "123"], width=8), xor_matrix(["234", "134", "124", "123"], width=4)
beta = [0x15B3, 0x78C0, 0xA435, 0x6213, 0x104F, 0xD170, 0x0266, 0x0BCC, 0x9481, 0x40B8,                   # section 3: round constants,
        0x7197, 0x228E, 0x5130, 0xF8CA, 0xDF90, 0x7C81, 0x1C24, 0x23B4, 0x628A]                           # a bit for each cell


def add_midori(cipher, cells, to_bytes, sub_cell, count):
    """Give a cipher the functions of Midori, for how strings are cells and back, SubCell, and the rounds."""

    @cipher.key_schedule                                 # section 3: WK, then RK_i; of 64-bit blocks the halves K_0 and K_1 in turn
    def key_schedule(key):
        K = cells(key)
        halves = [K[0:16], K[-16:]]
        WK = K if len(K) == 16 else halves[0] ^ halves[1]
        RK = array(word(K[0].width), count - 1, 16)
        for i in range(count - 1):
            RK[i] = halves[i % 2] ^ [beta[i] >> 15 - n & 1 for n in range(16)]
        return WK, RK

    def mix(S):                                          # section 3: MixColumn, an involution
        return M[S[0].width == 4].columns(S)

    @cipher.encrypt                                      # section 3: the last round is SubCell alone
    def encrypt(keys, plaintext):
        WK, RK = keys
        S = cells(plaintext) ^ WK
        for i in rounds(count - 1):
            S = mix(sub_cell(S)[SHUFFLE]) ^ RK[i]
        return to_bytes(sub_cell(S) ^ WK)

    @cipher.decrypt                                      # section 3: the inverse of each step, in reverse order; SubCell is an involution
    def decrypt(keys, ciphertext):
        WK, RK = keys
        S = sub_cell(cells(ciphertext) ^ WK)
        for i in rounds(count - 2, -1, -1):
            S = sub_cell(mix(S ^ RK[i])[SHUFFLE_inv])
        return to_bytes(S ^ WK)
