"""E2. NTT: Specification of E2, a 128-bit Block Cipher, 1998 [NTT98]; byte strings are numbered from the left, words are big-endian."""
from cipherassay.ciphers._e2_inverses import add_inverses
from cipherassay.ciphers._e2_turned import add_turned
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

def padding(key):                                    # key scheduling part, shorter keys: K3 = S^3(v), K4 = S^4(v)
    return [S(S(S(v))), S(S(S(S(v))))][len(key) // 8 - 2:]

@e2.key_schedule                                     # key scheduling part
def key_schedule(key):
    K = [key[n:n + 8] for n in range(0, len(key), 8)] + padding(key)
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

add_inverses(e2, padding, f, v, key_schedule, encrypt_stored, decrypt_stored)        # forms "sequenced-inverses", "growing-inverses"
add_turned(e2, S, IT, BP_inv, feistel, feistel_back, key_schedule_stored)            # form "turned-bytes"
add_words(e2, s, padding, v, inverse_mod)                                            # form "word-tables" [AU99, 3.2]
