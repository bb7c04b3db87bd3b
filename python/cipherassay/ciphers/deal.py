"""DEAL. L. R. Knudsen: DEAL: A 128-Bit Block Cipher, Technical Report 151, University of Bergen, February 1998 [K98]; over DES [FIPS46-3]."""

from cipherassay.ciphers._des import IP, IP_INVERSE, KS, encipher, permuted
from cipherassay.lang import *

deal = Cipher("DEAL", key_bits=(128, 192, 256), structure="Feistel", source="[K98]")

@function
def E(K, B):                                         # E_K(B): DES [FIPS46-3]
    return permuted(encipher(K, permuted(B, IP)), IP_INVERSE)

@deal.key_schedule                                   # key schedule: DES of the key's parts in a chain, with a fixed key; here the keys of DES
def key_schedule(key):
    parts, fixed = be_words(key, 64), KS(vec(u8, *bytes.fromhex("0123456789ABCDEF")))
    s = len(parts)
    RK = u64(0)
    K = array(word(48), 8 if s == 4 else 6, 16)
    for i in range(len(K)):                          # from the second time on a part is XORed with <1>, <2>, <4>, <8>: one bit, from the left
        counter = 1 << 63 - (i - s) if i >= s else 0
        RK = E(fixed, parts[i % s] ^ counter ^ RK)
        K[i] = list(KS(be_bytes(RK)))
    return K

def as_KS(K, i):                                     # the row of K that E_K takes, with the indices of DES
    k = array(word(48), range(1, 17))
    k[1:17] = K[i]
    return k

@deal.encrypt                                        # encryption: a Feistel network with DES as its function
def encrypt(K, plaintext):
    XL, XR = be_words(plaintext, 64)
    for i in rounds(0, len(K), 2):
        XR = XR ^ E(as_KS(K, i), XL)
        XL = XL ^ E(as_KS(K, i + 1), XR)
    return be_bytes(XL, XR)

@deal.decrypt                                        # the keys in reverse order
def decrypt(K, ciphertext):
    XL, XR = be_words(ciphertext, 64)
    for i in rounds(len(K) - 2, -2, -2):
        XL = XL ^ E(as_KS(K, i + 1), XR)
        XR = XR ^ E(as_KS(K, i), XL)
    return be_bytes(XL, XR)
