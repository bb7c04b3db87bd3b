"""MARS. C. Burwick et al. (IBM): MARS - a candidate cipher for AES, revised September 1999 [IBM99]; round-1 version: June 1998 [IBM98]."""

from cipherassay.ciphers._mars_box import generated_box
from cipherassay.ciphers._mars_round_1 import add_round_1
from cipherassay.lang import *

mars = Cipher("MARS", key_bits=(128, 192, 256), structure="generalised Feistel", source="[IBM99]")

S = table(u32, generated_box())
S0 = table(u32, S.data[:256])
S1 = table(u32, S.data[256:])
B = table(u32, S.data[265:269])                      # key expansion: the words that fix a multiplication subkey

def forward_mixing(D, i):                            # phase 1: forward mixing, round i
    b0, b1, b2, b3 = le_bytes(D[0])
    D[1] ^= S0[b0]
    D[1] += S1[b1]
    D[2] += S0[b2]
    D[3] ^= S1[b3]
    D[0] = rotr(D[0], 24)
    if i in (0, 4): D[0] += D[3]
    if i in (1, 5): D[0] += D[1]
    return D.rotate(1)

def E(x, K1, K2):                                    # phase 2: the E-function
    M = x + K1
    R = rotl(x, 13) * K2
    L = S[bits(M, 0, 9)]
    R = rotl(R, 5)
    M = rotl(M, R)
    L = L ^ R
    R = rotl(R, 5)
    L = rotl(L ^ R, R)
    return L, M, R

def keyed_transformation(D, i, K):                   # phase 2: cryptographic core, round i; eight rounds each way
    L, M, R = E(D[0], K[2 * i + 4], K[2 * i + 5])
    D[0] = rotl(D[0], 13)
    D[2] += M
    if i < 8:
        D[1] += L
        D[3] ^= R
    else:
        D[3] += L
        D[1] ^= R
    return D.rotate(1)

def backwards_mixing(D, i):                          # phase 3: backwards mixing, round i
    if i in (2, 6): D[0] -= D[3]
    if i in (3, 7): D[0] -= D[1]
    b0, b1, b2, b3 = le_bytes(D[0])
    D[1] ^= S1[b0]
    D[2] -= S0[b3]
    D[3] -= S1[b2]
    D[3] ^= S0[b1]
    D[0] = rotl(D[0], 24)
    return D.rotate(1)

@mars.encrypt                                        # the three phases between key addition and key subtraction
def encrypt(K, plaintext):
    D = le_words(plaintext) + K[0:4]
    for i in rounds(8):
        D = forward_mixing(D, i)
    for i in rounds(16):
        D = keyed_transformation(D, i, K)
    for i in rounds(8):
        D = backwards_mixing(D, i)
    return le_bytes(D - K[36:40])

@mars.decrypt                                        # decryption: the inverse of each round, in reverse order
def decrypt(K, ciphertext):
    D = le_words(ciphertext) + K[36:40]
    for i in rounds(7, -1, -1):
        D = inverse(backwards_mixing)(D, i)
    for i in rounds(15, -1, -1):
        D = inverse(keyed_transformation)(D, i, K)
    for i in rounds(7, -1, -1):
        D = inverse(forward_mixing)(D, i)
    return le_bytes(D - K[0:4])

@function
def fixed(k, r, keep):                               # key expansion, step 4: no long runs of equal bits in a multiplication subkey
    j = bits(k, 0, 2)
    w = k | 3
    u = ~w ^ (w << 1)                                # bit i: w_i = w_(i-1)
    hit = u & 0xFFFFFE00
    for n in range(1, 9):
        hit &= u << n                                # ten equal bits that end here
    marked = hit
    for n in range(1, 10):
        marked |= hit >> n
    M = marked & ~(w ^ (w << 1)) & ~(w ^ (w >> 1)) & keep                # without the ends of a run and bits 0, 1
    return w ^ (rotl(B[j], r) & M)

@mars.key_schedule                                   # key expansion
def key_schedule(key):
    k = le_words(key)
    n = len(k)
    T = ring(u32, 15)                                # indices of T are taken modulo 15
    T[:] = [*k, u32(n), *[u32(0)] * (14 - n)]
    K = array(u32, 40)
    for j in rounds(4):
        for i in rounds(15):                         # step 2: linear key-word expansion
            T[i] ^= rotl(T[i - 7] ^ T[i - 2], 3) ^ (4 * i + j)
        for _ in rounds(4):                          # step 3: S-box based stirring
            for i in rounds(15):
                T[i] = rotl(T[i] + S[bits(T[i - 1], 0, 9)], 9)
        for i in rounds(10):
            K[10 * j + i] = T[4 * i]
    for i in rounds(5, 36, 2):
        K[i] = fixed(K[i], K[i - 1], 0x7FFFFFFC)
    return K

add_round_1(mars, S, fixed)                          # variant "round-1" [IBM98]
