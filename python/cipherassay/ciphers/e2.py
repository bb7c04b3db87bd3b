"""E2. NTT: Specification of E2, a 128-bit Block Cipher, 1998 [NTT98]; byte strings are numbered from the left, words are big-endian."""
from cipherassay.ciphers._e2_words import add_words
from cipherassay.lang import *

e2 = Cipher("E2", key_bits=(128, 192, 256), structure="Feistel", source="[NTT98]")
F8 = GF(0x11B)
s = table(u8, [(97 * F8.pow(x, 127) + 225) % 256 for x in range(256)])   # S-function: s(x) = 97 x^127 + 225 mod 256
v = vec(u8, *bytes.fromhex("0123456789ABCDEF"))                          # key scheduling part: v_-1
P_MATRIX = xor_matrix(["234567", "134678", "124578", "123568", "12456", "12367", "23478", "13458"])

def S(X):                                            # S-function
    return s[X]

def P(z):                                            # P-function: each output byte is the XOR of the listed inputs
    return P_MATRIX @ z

def BRL(b):                                          # byte rotate left
    return b.rotate(1)

def BP(X):                                           # byte permutation
    return X[[5 * i % 16 for i in range(16)]]

def BP_inv(X):                                       # inverse of BP, for the final transformation
    return X[[13 * i % 16 for i in range(16)]]

def inverse_mod(x):                                  # inverse modulo 2^32 of an odd word: each step doubles the correct bits
    y = x
    for _ in range(4):
        y = y * (2 - x * y)
    return y

@function
def F(X, k):                                         # F-function
    return BRL(S(P(S(X ^ k[0:8])) ^ k[8:16]))

@function
def f(X):                                            # f-function, of the key scheduling part
    return P(S(X))

def IT(X, A, B):                                     # initial transformation: multiplication by odd words
    return BP(be_bytes(be_words(X ^ A) * (be_words(B) | 1)))

def inverses(B):                                     # final transformation: inverses of the odd words of B
    return vec(*[inverse_mod(b) for b in be_words(B) | 1])

def FT(X, A, B_inverses):                            # final transformation: division by odd words
    return be_bytes(be_words(BP_inv(X)) * B_inverses) ^ A

def G(X, U):                                         # G-function
    Y = [f(x) for x in X]
    L = []
    for y in Y:
        U = f(U) ^ y
        L.append(U)
    return L, Y, U

@e2.key_schedule                                     # key scheduling part
def key_schedule(key):
    K = [key[n:n + 8] for n in range(0, len(key), 8)]
    K += [S(S(S(v))), S(S(S(S(v))))][len(K) - 2:]    # shorter keys: K3 = S^3(v), K4 = S^4(v)
    L, Y, U = G(K, v)
    q = array(u8, 32, 8)
    for i in rounds(8):
        L, Y, U = G(Y, U)
        q[4 * i:4 * i + 4] = L
    k = array(u8, range(1, 17), 16)
    for i in steps(16):
        k[i + 1] = [q[2 * j + i % 2, i // 2] for j in range(16)]
    return k

def feistel(k, X, F=F):                              # data randomizing part: 12 rounds
    L, R = X[0:8], X[8:16]
    for r in rounds(1, 13):
        L, R = R, L ^ F(R, k[r])
    return join(R, L)

def feistel_back(k, X, F=F):                         # data randomizing part: 12 rounds, subkeys in reverse order
    L, R = X[0:8], X[8:16]
    for r in rounds(12, 0, -1):
        L, R = R, L ^ F(R, k[r])
    return join(R, L)

@e2.encrypt                                          # data randomizing part: IT, 12 rounds, FT
def encrypt(k, plaintext):
    return FT(feistel(k, IT(plaintext, k[13], k[14])), k[16], inverses(k[15]))

@e2.decrypt                                          # the same with the subkeys in reverse roles
def decrypt(k, ciphertext):
    return FT(feistel_back(k, IT(ciphertext, k[16], k[15])), k[13], inverses(k[14]))

@e2.key_schedule(form="stored-inverses")             # the inverses for FT depend on the key only
def key_schedule_stored(key):
    k = key_schedule(key)
    return k, inverses(k[15]), inverses(k[14])

@e2.encrypt(form="stored-inverses")                  # as encrypt, with the inverses stored
def encrypt_stored(keys, plaintext):
    k, inverses15, inverses14 = keys
    return FT(feistel(k, IT(plaintext, k[13], k[14])), k[16], inverses15)

@e2.decrypt(form="stored-inverses")                  # as decrypt, with the inverses stored
def decrypt_stored(keys, ciphertext):
    k, inverses15, inverses14 = keys
    return FT(feistel_back(k, IT(ciphertext, k[16], k[15])), k[13], inverses14)

@e2.key_schedule(form="sequenced-inverses")          # the same, a word of G after another, then a Newton step
def key_schedule_sequenced(key):                     # key scheduling part
    K = [key[n:n + 8] for n in range(0, len(key), 8)]
    K += [S(S(S(v))), S(S(S(S(v))))][len(K) - 2:]
    Y, U = ring(u8, 4, 8), v
    Y[:] = K
    q = array(u8, range(-4, 32), 8)
    for n in rounds(-4, 32):                         # Y wraps: the four words of each of nine G
        Y[n] = f(Y[n])
        U = f(U) ^ Y[n]
        q[n] = U
    x, y = ring(u32, 8), ring(u32, 8)
    x[:] = be_words([q[2 * j + i % 2, i // 2] for i in (14, 13) for j in range(16)]) | 1   # of k_15 and k_14
    y[:] = x[:]
    t = u32(1)
    for n in rounds(33):                             # the rings wrap: four steps of each of the eight words; the last
        y[n - 1] = y[n - 1] * t                      # product of a step stands beside the first of the next
        t = 2 - x[n] * y[n]
    k = array(u8, range(1, 17), 16)
    for i in steps(16):
        k[i + 1] = [q[2 * j + i % 2, i // 2] for j in range(16)]
    return k, y[0:4], y[4:8]

e2.encrypt(form="sequenced-inverses")(encrypt_stored)
e2.decrypt(form="sequenced-inverses")(decrypt_stored)

def inverse_growing(x):                              # inverse_mod, each step in words of its correct bits: 5, 8, 16, 32
    y = byte(x, 0)
    y = y + y + y ^ 2
    y = y * (2 - byte(x, 0) * y)
    for n in (8, 16):                                # x y = 1 + 2^n e, so y (2 - x y) = y - 2^n y e
        y = concat(y, 0 - y * bits(bits(x, 0, 2 * n) * zext(y, 2 * n), n, n))
    return y

@e2.key_schedule(form="growing-inverses")            # as stored-inverses, for processors of short words
def key_schedule_growing(key):
    k = key_schedule(key)
    return k, *(vec(*[inverse_growing(b) for b in be_words(B) | 1]) for B in (k[15], k[14]))

e2.encrypt(form="growing-inverses")(encrypt_stored)
e2.decrypt(form="growing-inverses")(decrypt_stored)

RIGHT = [7 - i for i in range(8)] + [23 - i for i in range(8, 16)]   # bytes of each half from the right [AU99, 3.2.2: their order is free]
P_RIGHT = xor_matrix(["14568", "12567", "23678", "34578", "134678", "124578", "123568", "234567"])    # P, rows and columns from the last

@function
def F_right(X, k):                                   # F-function of turned bytes: big-endian words need no reordering
    return S(P_RIGHT @ S(X ^ k[0:8]) ^ k[8:16]).rotate(7)

@e2.key_schedule(form="turned-bytes")                # as the stored inverses, the subkeys' bytes turned
def key_schedule_right(key):
    k, inverses15, inverses14 = key_schedule_stored(key)
    turned = array(u8, range(1, 17), 16)
    turned[1:17] = [k[i][RIGHT] for i in range(1, 17)]
    return turned, inverses15, inverses14

def turned(rounds, A, B, C, inverses):               # a direction on turned bytes, the last key added to words
    def crypt(keys, block):
        X = rounds(keys[0], IT(block, keys[0][A][RIGHT], keys[0][B][RIGHT])[RIGHT], F_right)[RIGHT]
        return be_bytes(be_words(BP_inv(X)) * keys[inverses] ^ be_words(keys[0][C][RIGHT]))
    return crypt

e2.encrypt(form="turned-bytes")(turned(feistel, 13, 14, 16, 1))
e2.decrypt(form="turned-bytes")(turned(feistel_back, 16, 15, 13, 2))

add_words(e2, s, lambda key: [S(S(S(v))), S(S(S(S(v))))][len(key) // 8 - 2:], v, inverse_mod)   # form "word-tables" [AU99, 3.2]
