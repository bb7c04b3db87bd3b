"""The functions of the GIFT family. S. Banik et al.: GIFT: A Small Present, CHES 2017; b_(n-1) is the first bit of a string, b_0 the last."""

from cipherassay.ciphers._gift_words import add_words
from cipherassay.lang import *

GS = table(word(4), [int(x, 16) for x in "1A4C6F392DB7508E"])            # section 2.1: SubCells
GS_BITS = sbox([int(GS[x]) for x in range(16)])                         # section 2.1: the same at every bit position of words


def constants(count):
    """Return the first round constants, section 2.1: the 6-bit affine LFSR, updated before each use."""
    c, found = 0, []
    for _ in range(count):
        c = c << 1 & 63 | c >> 5 ^ c >> 4 & 1 ^ 1
        found.append(c)
    return found


def add_gift(cipher, n, number):
    """Give a cipher the functions of GIFT-n, for the number of rounds."""
    P = [4 * (i // 16) + n // 4 * ((3 * (i % 16 // 4) + i % 4) % 4) + i % 4 for i in range(n)]   # section 2.1: PermBits
    P_inv = [P.index(i) for i in range(n)]
    C = table(word(6), constants(number))
    U, V = (1, 0) if n == 64 else (2, 1)                 # section 2.1: the bits of a nibble to which U and V are added

    def nibbles(data):                                   # section 2.1: w_0 is the last nibble
        return vec(*[bits(b, low, 4) for b in data[::-1] for low in (0, 4)])

    def to_bytes(w):                                     # section 2.1: the nibbles concatenated
        return vec(*[concat(w[i], w[i + 1]) for i in range(0, len(w), 2)])[::-1]

    def permute(order, w):                               # section 2.1: PermBits, bit i of the result from bit order[i]
        b = [bits(x, j, 1) for x in w for j in range(4)]
        return vec(*[concat(*[b[order[i + j]] for j in range(4)]) for i in range(0, n, 4)])

    @cipher.key_schedule                                 # section 2.2: the round keys, each spread to the bits of the state
    def key_schedule(key):
        k = be_words(key, 16)[::-1]
        K = array(word(4), number, n // 4)
        for r in rounds(number):
            u, v = (k[1:2], k[0:1]) if n == 64 else (k[4:6], k[0:2])
            u, v = ([bits(x, i, 1) for x in half for i in range(16)] for half in (u, v))
            c, zero = C[r], word(1)(0)
            parts = [[zero] * 4 for _ in range(n // 4)]
            for i in range(n // 4):
                parts[i][U], parts[i][V] = u[i], v[i]
            for i in range(6):                           # section 2.1: the round constant, at bits 3, 7, ..., 23, and the first bit
                parts[i][3] = bits(c, i, 1)
            parts[-1][3] = word(1)(1)
            K[r] = [concat(*four) for four in parts]
            k = join(k[2:], vec(rotr(k[0], 12), rotr(k[1], 2)))
        return K

    @cipher.encrypt                                      # section 2.1
    def encrypt(K, plaintext):
        w = nibbles(plaintext)
        for r in rounds(number):
            w = permute(P_inv, GS[w]) ^ K[r]
        return to_bytes(w)

    @cipher.decrypt                                      # section 2.1: the inverse of each step, in reverse order
    def decrypt(K, ciphertext):
        w = nibbles(ciphertext)
        for r in rounds(number - 1, -1, -1):
            w = GS.inverse[permute(P, w ^ K[r])]
        return to_bytes(w)

    add_words(cipher, n, number, P, constants(number), GS_BITS)   # form "words"
