"""QARMA-64 with r = 7 and the S-box sigma_1. R. Avanzi: The QARMA Block Cipher Family, ToSC 2017(1) [A17]; the key is w0, k0."""

from cipherassay.lang import *

qarma = Cipher("QARMA-64", slug="qarma64", block_bits=64, key_bits=(128,), tweak_bits=64, structure="SPN", source="[A17]", aliases=("qarma",))
r = 7                                                # the rounds before the central ones, and after
S = table(word(4), [10, 13, 14, 6, 15, 7, 3, 5, 9, 8, 0, 12, 11, 1, 2, 4])           # S-boxes: sigma_1
tau = [0, 11, 6, 13, 10, 1, 12, 7, 5, 14, 3, 8, 15, 4, 9, 2]             # ShuffleCells: cell i comes from cell tau(i)
tau_inv = [tau.index(i) for i in range(16)]
h = [6, 5, 14, 15, 0, 1, 2, 3, 7, 12, 13, 4, 8, 9, 10, 11]               # tweak update: the permutation of cells
OMEGA = (0, 1, 3, 4, 8, 11, 13)                      # tweak update: the cells that go through the LFSR omega
M = [(0, 1, 2, 1), (1, 0, 1, 2), (2, 1, 0, 1), (1, 2, 1, 0)]             # MixColumns: amounts of rotation, 0 for none of the cell; an involution
ALPHA = 0xC0AC29B7C97C50DD                           # constants: digits of pi
C = (0, 0x13198A2E03707344, 0xA4093822299F31D0, 0x082EFA98EC4E6C89,
     0x452821E638D01377, 0xBE5466CF34E90C6C, 0x3F84D5B5B5470917)

def digits(x):                                       # the cells of a constant, the first of the highest bits
    return [x >> 60 - 4 * i & 15 for i in range(16)]

CELLS = table(word(4), [digit for c in C for digit in digits(c)])

def cells(data):                                     # cells: the first of the highest bits
    return vec(*[bits(b, low, 4) for b in data for low in (4, 0)])

def to_bytes(x):                                     # cells: back to bytes
    return vec(*[concat(x[i + 1], x[i]) for i in range(0, 16, 2)])

def omega(x):                                        # tweak update: the LFSR (b3, b2, b1, b0) to (b0 + b1, b3, b2, b1)
    return concat(bits(x, 1, 3), bits(x, 0, 1) ^ bits(x, 1, 1))

def mix(x):                                          # MixColumns
    def cell(i, j):
        a, b, c = [rotl(x[4 * n + j], M[i][n]) for n in range(4) if M[i][n]]
        return a ^ b ^ c
    return vec(*[cell(i, j) for i in range(4) for j in range(4)])

@qarma.key_schedule                                  # key specialisation: w1 = o(w0)
def key_schedule(key):
    w = be_words(key[0:8], 64)[0]
    return cells(key[0:8]), cells(be_bytes(rotr(w, 1) ^ w >> 63)), cells(key[8:16])

def tweakeys(keys, tweak):                           # the tweakeys of the rounds before and after the reflector
    w0, w1, k = keys
    T = cells(tweak)
    before, after = array(word(4), r + 1, 16), array(word(4), r + 1, 16)
    for i in rounds(r):
        before[i] = k ^ T ^ [CELLS[16 * i + j] for j in range(16)]
        after[i] = before[i] ^ vec(word(4), *digits(ALPHA))
        T = T[h]
        T = vec(*[omega(x) if i in OMEGA else x for i, x in enumerate(T)])
    before[r], after[r] = w1 ^ T, w0 ^ T
    return before, after

def inward(x, keys):                                 # forward rounds, the first a short one
    x = S[x ^ keys[0]]
    for i in rounds(1, r + 1):
        x = S[mix((x ^ keys[i])[tau])]
    return x

def outward(x, keys):                                # backward rounds, the last a short one
    for i in rounds(r, 0, -1):
        x = mix(S.inverse[x])[tau_inv] ^ keys[i]
    return S.inverse[x] ^ keys[0]

@qarma.encrypt                                       # encryption: whitening, forward rounds, pseudo-reflector, backward rounds, whitening
def encrypt(keys, tweak, plaintext):
    w0, w1, k1 = keys
    before, after = tweakeys(keys, tweak)
    x = inward(cells(plaintext) ^ w0, before)
    x = (mix(x[tau]) ^ k1)[tau_inv]
    return to_bytes(outward(x, after) ^ w1)

@qarma.decrypt                                       # decryption: the same the other way round
def decrypt(keys, tweak, ciphertext):
    w0, w1, k1 = keys
    before, after = tweakeys(keys, tweak)
    x = inward(cells(ciphertext) ^ w1, after)
    x = mix(x[tau] ^ k1)[tau_inv]
    return to_bytes(outward(x, before) ^ w0)
