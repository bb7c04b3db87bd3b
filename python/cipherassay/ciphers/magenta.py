"""MAGENTA. M. J. Jacobson, K. Huber: The MAGENTA Block Cipher Algorithm, AES submission, June 1998 [JH98]."""

from cipherassay.lang import *

magenta = Cipher("MAGENTA", key_bits=(128, 192, 256), structure="Feistel", source="[JH98]")
F = GF(0x165)                                        # the field GF(2^8) of x^8 + x^6 + x^5 + x^2 + 1
f = table(u8, [F.pow(2, x) for x in range(255)] + [0])                   # f: the powers of alpha, and 0

def A(x, y):                                         # A(x, y) = f(x + f(y))
    return f[x ^ f[y]]

def Pi(x):                                           # Pi: PE(x_i, x_(i + 8)), where PE(x, y) = (A(x, y), A(y, x))
    return vec(*[z for i in range(8) for z in (A(x[i], x[i + 8]), A(x[i + 8], x[i]))])

def T(x):                                            # T: Pi four times
    return Pi(Pi(Pi(Pi(x))))

def S(x):                                            # S: the bytes of even index, then those of odd index
    return x[[*range(0, 16, 2), *range(1, 16, 2)]]

@function
def E(x, K):                                         # E^(3): the first half of S(C^(3)), where C^(1) = T(w), C^(j + 1) = T(w + S(C^(j)))
    w = join(x, K)
    C = T(w)
    for _ in range(2):
        C = T(w ^ S(C))
    return S(C)[0:8]

@magenta.key_schedule                                # the order of the parts of the key: six or eight rounds
def key_schedule(key):
    parts = {16: (0, 0, 1, 1, 0, 0), 24: (0, 1, 2, 2, 1, 0), 32: (0, 1, 2, 3, 3, 2, 1, 0)}[len(key)]
    K = array(u8, len(parts), 8)
    for i, n in enumerate(parts):
        K[i] = key[8 * n:8 * n + 8]
    return K

def feistel(K, M):                                   # a Feistel network; its last round too is followed by no exchange after an even number
    X, Y = M[0:8], M[8:16]
    for i in rounds(len(K)):
        X, Y = Y, X ^ E(Y, K[i])
    return join(X, Y)

@magenta.encrypt                                     # encryption
def encrypt(K, M):
    return feistel(K, M)

@magenta.decrypt                                     # decryption: the halves exchanged before and after, as the order of keys reads the same backwards
def decrypt(K, C):
    return feistel(K, C.rotate(8)).rotate(8)
