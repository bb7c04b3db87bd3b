"""Twofish. B. Schneier, J. Kelsey, D. Whiting, D. Wagner, C. Hall, N. Ferguson: Twofish: A 128-Bit Block Cipher, June 1998 [SKW98]."""

from cipherassay.lang import *

twofish = Cipher("Twofish", key_bits=(128, 192, 256), structure="Feistel", source="[SKW98]")

def permutation(tables):                             # section 4.3.5: q0 and q1 from their tables t0 to t3
    t = [table(word(4), [int(c, 16) for c in row]) for row in tables.split()]

    def q(x):
        a0, b0 = bits(x, 4, 4), bits(x, 0, 4)
        a1, b1 = a0 ^ b0, a0 ^ rotr(b0, 1) ^ (a0 << 3)
        a2, b2 = t[0][a1], t[1][b1]
        a3, b3 = a2 ^ b2, a2 ^ rotr(b2, 1) ^ (a2 << 3)
        a4, b4 = t[2][a3], t[3][b3]
        return concat(a4, b4)
    return q

q0 = table(u8, permutation("817D6F320B59ECA4 ECB81235F4A6709D BA5E6D90C8F32471 D7F4126E9B3085CA"))
q1 = table(u8, permutation("28BDF76E31940AC5 1E2B4C376DA5F908 4C75169A0ED82B3F B951C3DE647F208A"))
MDS = GF(0x169).matrix([[0x01, 0xEF, 0x5B, 0x5B], [0x5B, 0xEF, 0xEF, 0x01],            # section 4.2
                        [0xEF, 0x5B, 0x01, 0xEF], [0xEF, 0x01, 0xEF, 0x5B]])
RS = GF(0x14D).matrix([[0x01, 0xA4, 0x55, 0x87, 0x5A, 0x58, 0xDB, 0x9E],               # section 4.3
                       [0xA4, 0x56, 0x82, 0xF3, 0x1E, 0xC6, 0x68, 0xE5],
                       [0x02, 0xA1, 0xFC, 0xC1, 0x47, 0xAE, 0x3D, 0x19],
                       [0xA4, 0x55, 0x87, 0x5A, 0x58, 0xDB, 0x9E, 0x03]])
# section 4.3.2: the permutation of byte j = 0 to 3, at stages 4 to 1 before list word L[stage - 1] is added, and at last
STAGE = {4: (q1, q0, q0, q1), 3: (q1, q1, q0, q0), 2: (q0, q1, q0, q1), 1: (q0, q0, q1, q1)}
LAST = (q1, q0, q1, q0)

def keyed(j, y, L):                                  # section 4.3.2: byte j of h up to its last permutation
    for i in reversed(range(len(L))):
        y = STAGE[i + 1][j][y] ^ byte(L[i], j)
    return y

@function
def h(X, L):                                         # section 4.3.2
    return concat(*MDS @ [LAST[j][keyed(j, byte(X, j), L)] for j in range(4)])

def rho(n):                                          # section 4.3.4: 2^24 + 2^16 + 2^8 + 1
    return u32(n) * 0x01010101

@twofish.key_schedule                                # section 4.3
def key_schedule(key):
    M = le_words(key)
    Me, Mo = M[0::2], M[1::2]
    S = vec(*[concat(*RS @ key[n:n + 8]) for n in range(0, len(key), 8)])[::-1]
    K = array(u32, 40)
    for i in rounds(20):                             # section 4.3.4: the expanded key words
        A = h(rho(2 * i), Me)
        B = rotl(h(rho(2 * i + 1), Mo), 8)
        K[2 * i] = A + B
        K[2 * i + 1] = rotl(A + 2 * B, 9)
    return K, S

def g(X, S):                                         # section 4.2
    return h(X, S)

@twofish.encrypt                                     # section 4
def encrypt(keys, plaintext, g=g):
    K, S = keys
    R = le_words(plaintext) ^ K[0:4]
    for r in rounds(16):                             # section 4.1: F
        T0 = g(R[0], S)
        T1 = g(rotl(R[1], 8), S)
        F0 = T0 + T1 + K[2 * r + 8]
        F1 = T0 + 2 * T1 + K[2 * r + 9]
        R = vec(rotr(R[2] ^ F0, 1), rotl(R[3], 1) ^ F1, R[0], R[1])
    return le_bytes(R.rotate(2) ^ K[4:8])

@twofish.decrypt                                     # section 4: the rounds undone, in reverse order
def decrypt(keys, ciphertext, g=g):
    K, S = keys
    R = (le_words(ciphertext) ^ K[4:8]).rotate(2)
    for r in rounds(15, -1, -1):
        T0 = g(R[2], S)
        T1 = g(rotl(R[3], 8), S)
        F0 = T0 + T1 + K[2 * r + 8]
        F1 = T0 + 2 * T1 + K[2 * r + 9]
        R = vec(R[2], R[3], rotl(R[0], 1) ^ F0, rotr(R[1] ^ F1, 1))
    return le_bytes(R ^ K[0:4])

def keying_option(form, type_, entry, g):            # section 5.1: S-boxes computed once for each key
    @twofish.key_schedule(form=form)
    def key_schedule_option(key):
        K, S = key_schedule(key)
        T = [array(type_, 256) for j in range(4)]
        for x in steps(256):
            for j in range(4):
                T[j][x] = entry(j, keyed(j, u8(x), S))
        return K, T

    twofish.encrypt(lambda keys, plaintext: encrypt(keys, plaintext, g), form=form)
    twofish.decrypt(lambda keys, ciphertext: decrypt(keys, ciphertext, g), form=form)

def lookups(X, T):                                   # section 5.1: the key's S-boxes as tables
    return [T[j][byte(X, j)] for j in range(4)]

def full(X, T):                                      # section 5.1: full keying, g by four look-ups
    T0, T1, T2, T3 = lookups(X, T)
    return T0 ^ T1 ^ T2 ^ T3

keying_option("full-keying", u32, lambda j, y: concat(*MDS.column(j, LAST[j][y])), full)
keying_option("partial-keying", u8, lambda j, y: LAST[j][y], lambda X, T: concat(*MDS @ lookups(X, T)))
keying_option("minimal-keying", u8, lambda j, y: y, lambda X, T: concat(*MDS @ [LAST[j][y] for j, y in enumerate(lookups(X, T))]))
