"""DES. Data Encryption Standard, FIPS 46-3, October 1999 [FIPS46-3]: 56 bits of the key are used, each eighth is parity and is not looked at."""

from cipherassay.ciphers._des import IP, IP_INVERSE, KS, SOURCE, decipher, encipher, permuted
from cipherassay.lang import *

des = Cipher("DES", block_bits=64, key_bits=(64,), structure="Feistel", source=SOURCE)

@des.key_schedule                                    # appendix 1: key schedule KS
def key_schedule(KEY):
    return KS(KEY)

@des.encrypt                                         # enciphering
def encrypt(K, plaintext):
    return be_bytes(permuted(encipher(K, permuted(be_words(plaintext, 64)[0], IP)), IP_INVERSE))

@des.decrypt                                         # deciphering
def decrypt(K, ciphertext):
    return be_bytes(permuted(decipher(K, permuted(be_words(ciphertext, 64)[0], IP)), IP_INVERSE))
