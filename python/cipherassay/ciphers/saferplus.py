"""SAFER+. J. L. Massey, G. H. Khachatrian, M. K. Kuregian: Nomination of SAFER+ as Candidate Algorithm for the AES, June 1998 [MKK98]."""

from cipherassay.lang import *

saferplus = Cipher("SAFER+", slug="saferplus", key_bits=(128, 192, 256), structure="SPN", source="[MKK98]", aliases=("safer+", "safer-plus"))
r = {16: 8, 24: 12, 32: 16}                          # rounds for keys of so many bytes
E = table(u8, [pow(45, x, 257) % 256 for x in range(256)])               # 45^x modulo 257, where 256 stands as 0
L = E.inverse                                        # the logarithm to base 45
XOR_FIRST = [j % 4 in (0, 3) for j in range(16)]     # bytes 1, 4, 5, 8, 9, 12, 13, 16 from 1
SHUFFLE = [8, 11, 12, 15, 2, 1, 6, 5, 10, 9, 14, 13, 0, 7, 4, 3]         # the "Armenian shuffle": output j is input SHUFFLE[j]
SHUFFLE_inv = [SHUFFLE.index(j) for j in range(16)]

def mixed(x, K, first):                              # XOR and byte addition by turns, which of them first
    return vec(*[x[j] ^ K[j] if XOR_FIRST[j] == first else x[j] + K[j] for j in range(16)])

def unmixed(x, K, first):                            # the same undone
    return vec(*[x[j] ^ K[j] if XOR_FIRST[j] == first else x[j] - K[j] for j in range(16)])

def nonlinear(x, inverse=False):                     # the exponential where the key was XORed, the logarithm where it was added
    return vec(*[(E if XOR_FIRST[j] != inverse else L)[x[j]] for j in range(16)])

def PHT(x):                                          # the pseudo-Hadamard transform of pairs: 2 a + b, a + b
    return vec(*[y for j in range(0, 16, 2) for y in (x[j] + x[j] + x[j + 1], x[j] + x[j + 1])])

def PHT_inv(x):                                      # a and b from 2 a + b and a + b
    return vec(*[y for j in range(0, 16, 2) for y in (x[j] - x[j + 1], x[j + 1] + x[j + 1] - x[j])])

def M(x):                                            # the matrix M as four levels of transforms with a shuffle between
    x = PHT(x)
    for _ in range(3):
        x = PHT(x[SHUFFLE])
    return x

def M_inv(x):                                        # the inverse of M, from the last level
    for _ in range(3):
        x = PHT_inv(x)[SHUFFLE_inv]
    return PHT_inv(x)

def bias(i, j):                                      # key schedule: byte j of the bias word B_i, both from 1
    x = pow(45, 17 * i + j, 257)
    return (pow(45, x % 256, 257) if i <= 17 else x) % 256

B = table(u8, [bias(i, j) for i in range(2, 34) for j in range(1, 17)])

@saferplus.key_schedule                              # key schedule: the key and a byte of parity, turned bytewise by 3 a subkey
def key_schedule(key):
    n = len(key)
    parity = key[0]
    for b in key[1:]:
        parity = parity ^ b
    register = vec(*key, parity)
    K = array(u8, range(1, 2 * r[n] + 2), 16)
    K[1] = key[0:16]
    for i in rounds(2, 2 * r[n] + 2):
        register = vec(*[rotl(b, 3) for b in register]).rotate(1)
        K[i] = [register[j] + B[16 * (i - 2) + j] for j in range(16)]
    return K

@saferplus.encrypt                                   # encryption: the rounds and the output transformation
def encrypt(K, plaintext):
    x = plaintext
    for i in rounds(1, len(K) // 2 + 1):
        x = M(mixed(nonlinear(mixed(x, K[2 * i - 1], True)), K[2 * i], False))
    return mixed(x, K[len(K)], True)

@saferplus.decrypt                                   # decryption: each step undone, the last first
def decrypt(K, ciphertext):
    x = unmixed(ciphertext, K[len(K)], True)
    for i in rounds(len(K) // 2, 0, -1):
        x = unmixed(nonlinear(unmixed(M_inv(x), K[2 * i], False), inverse=True), K[2 * i - 1], True)
    return x
