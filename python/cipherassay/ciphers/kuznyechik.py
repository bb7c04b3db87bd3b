"""Kuznyechik. V. Dolmatov: GOST R 34.12-2015: Block Cipher "Kuznyechik", RFC 7801, March 2016 [RFC7801]."""

from functools import reduce
from operator import xor

from cipherassay.ciphers._kuznyechik_words import add_words
from cipherassay.lang import *

kuznyechik = Cipher("Kuznyechik", key_bits=(256,), structure="SPN", source="[RFC7801]", aliases=("grasshopper", "kuznechik"))
F = GF(0x1C3)                                        # section 2: p(x) = x^8 + x^7 + x^6 + x + 1
Pi = table(u8, bytes.fromhex(                        # section 4.1
    "FCEEDD11CF6E3116FBC4FADA23C5044DE977F0DB932E99BA1736F1BB14CD5FC1F918655AE25CEF21811C3C428B018E4F058402AEE36A8FA0060BED987FD4D31F"
    "EB342C51EAC848ABF22A68A2FD3ACECCB5700E56080C7612BF7213479CB75D8715A19629107B9AC7F391786F9D9EB2B13275193DFF358A7E6D54C680C3BD0D57"
    "DFF524A93EA843C9D779D6F67C22B903E00FECDE7A94B0BCDCE828504E330A4AA79760731E0062441AB83882649F2641AD454692275E552F8CA3A57D69D5953B"
    "0758B34086AC1DF730376BE488D9E789E11B83494C3FF8FE8D53AA90CAD88561207167A42D2B095BCB9B25D0BEE56C5259A674D2E6F4B4C0D166AFC2394B63B6"))
l = [148, 32, 133, 16, 194, 192, 1, 251, 1, 192, 194, 16, 133, 32, 148, 1]          # section 4.2

def R(a):                                            # section 4.3, of numbers; a_15 is the first
    return [reduce(xor, map(F.mul, l, a)), *a[:15]]

def power(transformation):                           # section 4.3: the matrix of a linear transformation done 16 times
    columns = [[int(n == m) for n in range(16)] for m in range(16)]
    for _ in range(16):
        columns = [transformation(column) for column in columns]
    return F.matrix(list(zip(*columns, strict=True)))

L = power(R)                                         # section 4.3: L = R^16

def S(a):                                            # section 4.3
    return Pi[a]

@kuznyechik.key_schedule                             # section 4.4
def key_schedule(key):
    a1, a0 = key[:16], key[16:]
    K = array(u8, range(1, 11), 16)
    K[1], K[2] = a1, a0
    for i in rounds(1, 5):
        for j in rounds(1, 9):
            C = L @ vec(*[u8(0)] * 15, u8(8 * (i - 1) + j))
            a1, a0 = (L @ S(a1 ^ C)) ^ a0, a1           # F[C]
        K[2 * i + 1], K[2 * i + 2] = a1, a0
    return K

@kuznyechik.encrypt                                  # section 4.5.1
def encrypt(K, plaintext):
    a = plaintext
    for i in rounds(1, 10):
        a = L @ S(a ^ K[i])
    return a ^ K[10]

L_inv = power(lambda a: [*a[1:], R([*a[1:], a[0]])[0]])                                # section 4.3: the inverse of R, 16 times

@kuznyechik.decrypt                                  # section 4.5.2
def decrypt(K, ciphertext):
    a = ciphertext ^ K[10]
    for i in rounds(9, 0, -1):
        a = Pi.inverse[L_inv @ a] ^ K[i]
    return a

@kuznyechik.key_schedule_decrypt(form="equivalent-inverse")              # L^-1 of all keys but the first
def inverse_keys(key):
    K = key_schedule(key)
    D = array(u8, range(1, 11), 16)
    D[1] = K[1]
    for i in steps(2, 11):
        D[i] = L_inv @ Pi.inverse[Pi[K[i]]]            # so that the tables of the rounds serve here, too
    return D

@kuznyechik.decrypt(form="equivalent-inverse")       # the same with L^-1 behind the S-boxes: it is linear
def equivalent_decrypt(D, ciphertext):
    a = L_inv @ Pi.inverse[Pi[ciphertext]] ^ D[10]
    for i in rounds(9, 1, -1):
        a = L_inv @ Pi.inverse[a] ^ D[i]
    return Pi.inverse[a] ^ D[1]

add_words(kuznyechik, F, L, L_inv, Pi)               # form "words"
