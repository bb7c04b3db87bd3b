"""What DES and Triple DES share. Data Encryption Standard, FIPS 46-3, October 1999 [FIPS46-3]; bits are numbered from the left, from 1."""

from functools import reduce
from operator import xor

from cipherassay.lang import *

SOURCE = "[FIPS46-3]"
IP = [first - 8 * j for first in (58, 60, 62, 64, 57, 59, 61, 63) for j in range(8)]     # enciphering: the initial permutation
IP_INVERSE = [IP.index(i) + 1 for i in range(1, 65)]
E = [(4 * i + j - 1) % 32 + 1 for i in range(8) for j in range(6)]       # the cipher function f: the E bit-selection table
P = [16, 7, 20, 21, 29, 12, 28, 17, 1, 15, 23, 26, 5, 18, 31, 10, 2, 8, 24, 14, 32, 27, 3, 9, 19, 13, 30, 6, 22, 11, 4, 25]
PC1 = [57, 49, 41, 33, 25, 17, 9, 1, 58, 50, 42, 34, 26, 18, 10, 2, 59, 51, 43, 35, 27, 19, 11, 3, 60, 52, 44, 36,   # appendix 1: key schedule KS
       63, 55, 47, 39, 31, 23, 15, 7, 62, 54, 46, 38, 30, 22, 14, 6, 61, 53, 45, 37, 29, 21, 13, 5, 28, 20, 12, 4]
PC2 = [14, 17, 11, 24, 1, 5, 3, 28, 15, 6, 21, 10, 23, 19, 12, 4, 26, 8, 16, 7, 27, 20, 13, 2,
       41, 52, 31, 37, 47, 55, 30, 40, 51, 45, 33, 48, 44, 49, 39, 56, 34, 53, 46, 42, 50, 36, 29, 32]
S = [table(word(4), [int(x, 16) for x in rows], name=f"S{n}") for n, rows in enumerate((   # appendix 1: S1 to S8, row after row
    "E4D12FB83A6C59070F74E2D1A6CB953841E8D62BFC973A50FC8249175B3EA06D", "F18E6B34972DC05A3D47F28EC01A69B50E7BA4D158C6932FD8A13F42B67C05E9",
    "A09E63F51DC7B428D709346A285ECBF1D6498F30B12C5AE71AD069874FE3B52C", "7DE3069A1285BC4FD8B56F03472C1AE9A690CB7DF13E52843F06A1D8945BC72E",
    "2C417AB6853FD0E9EB2C47D150FA3986421BAD78F9C5630EB8C71E2D6F09A453", "C1AF92680D34E75BAF427C9561DE0B389EF528C3704A1DB6432C95FABE17608D",
    "4B2EF08D3C975A61D0B7491AE35C2F8614BDC37EAF6805926BD814A7950FE23C", "D2846FB1A93E50C71FD8A374C56B0E927B419CE206ADF35821E74A8DFC90356B"), 1)]


def permuted(x, order):
    """Return the word whose bits, from the left, are these bits of x; neighbours are taken together."""
    parts, start = [], 0
    for j in range(1, len(order) + 1):
        if j == len(order) or order[j] != order[j - 1] + 1:
            parts.append(bits(x, x.width - order[j - 1], j - start))
            start = j
    return concat(*reversed(parts))


@function
def f(R, K):                                         # the cipher function f
    B = permuted(R, E) ^ K
    L = []
    for i in range(8):                               # appendix 1: bits 1 and 6 of a block choose the row of S_i, bits 2 to 5 the column
        b = bits(B, 42 - 6 * i, 6)
        L.append(S[i][concat(bits(b, 1, 4), bits(b, 0, 1), bits(b, 5, 1))])
    return permuted(concat(*reversed(L)), P)


def KS(key):                                         # appendix 1: key schedule KS
    CD = permuted(be_words(key, 64)[0], PC1)
    C, D = bits(CD, 28, 28), bits(CD, 0, 28)
    K = array(word(48), range(1, 17))
    for n in rounds(1, 17):
        if n <= 2 or n == 9 or n == 16:
            C, D = rotl(C, 1), rotl(D, 1)
        else:
            C, D = rotl(C, 2), rotl(D, 2)
        K[n] = permuted(concat(D, C), PC2)
    return K


def encipher(K, x):                                  # enciphering, between the initial permutation and its inverse
    L, R = bits(x, 32, 32), bits(x, 0, 32)
    for n in rounds(1, 17):
        L, R = R, L ^ f(R, K[n])
    return concat(L, R)


def decipher(K, x):                                  # deciphering: the keys in reverse order
    L, R = bits(x, 32, 32), bits(x, 0, 32)
    for n in rounds(16, 0, -1):
        L, R = R, L ^ f(R, K[n])
    return concat(L, R)


# Form "words": R stays turned right by 3. S_i with P behind it is a table of words; the blocks of E lie in bytes of R and, for even i, of R turned
# by 4 more, which are added to the blocks of a key at once. PC2 is tables, too: the blocks of all keys are sums of entries for 7 bits of C and D.
def sp(i):                                           # the cipher function f: S_i, then P
    boxed = [int(S[i][b >> 1 & 15 | (b & 1) << 4 | b >> 5 << 5]) << 28 - 4 * i for b in range(64)]
    moved = [sum((x >> 32 - P[k] & 1) << 31 - k for k in range(32)) for x in boxed]
    return table(u32, [x >> 3 | (x & 7) << 29 for x in moved], name=f"SP{i + 1}")


SP = [sp(i) for i in range(8)]
PLACE = [24, 48, 16, 40, 8, 32, 0, 56]               # of the blocks: those of S1, S3, S5, S7 in the low word, of S2, S4, S6, S8 in the high one


def pc2(start):                                      # appendix 1: what the bits from a start of C, D give in all blocks
    def blocks(x):
        return sum((x >> 56 - p & 1) << PLACE[k // 6] + 5 - k % 6 for k, p in enumerate(PC2))
    return table(u64, [blocks(x << 49 - start) for x in range(128)], name=f"PC2_{start}")


PC2_TABLES = [pc2(start) for start in range(0, 56, 7)]
COLUMNS = [57 - 8 * i + j for j in range(8) for i in range(8)]           # appendix 1: PC1 takes the bytes' bits from the left


def KS_words(key):                                   # appendix 1: key schedule KS
    T = permuted(be_words(key, 64)[0], COLUMNS)
    C, D = bits(T, 36, 28), concat(bits(T, 32, 4), byte(T, 3), byte(T, 2), byte(T, 1))
    K = array(u64, range(1, 17))
    for n in rounds(1, 17):
        by = 1 if n <= 2 or n == 9 or n == 16 else 2
        C, D = rotl(C, by), rotl(D, by)
        parts = [PC2_TABLES[k][bits(C if k < 4 else D, 21 - 7 * (k % 4), 7)] for k in range(8)]
        K[n] = reduce(xor, parts)
    return K


def f_words(R, K):                                   # the cipher function f
    U, T = R ^ bits(K, 0, 32), rotr(R, 4) ^ bits(K, 32, 32)
    return reduce(xor, [SP[i][bits(T if i % 2 else U, PLACE[i] % 32, 6)] for i in range(8)])


def crypt_words(passes, x):                          # enciphering and deciphering one after another, each by a key in the order of its rounds
    x = permuted(x, IP)
    L, R = rotr(bits(x, 32, 32), 3), rotr(bits(x, 0, 32), 3)
    for K, order in passes:
        for n in order:
            L, R = R, L ^ f_words(R, K[n])
        L, R = R, L
    return permuted(concat(rotl(R, 3), rotl(L, 3)), IP_INVERSE)


ENCIPHER, DECIPHER = rounds(1, 17), rounds(16, 0, -1)
