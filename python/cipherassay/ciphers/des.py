"""DES. Data Encryption Standard, FIPS 46-3, October 1999 [FIPS46-3]: 56 bits of the key are used, each eighth is parity and is not looked at."""

from cipherassay.ciphers._des import (DECIPHER, ENCIPHER, IP, IP_INVERSE, KS, SOURCE, KS_words, crypt_words, decipher, encipher,
                                      permuted)
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

@des.key_schedule(form="words")                      # appendix 1: key schedule KS
def key_schedule_words(KEY):
    return KS_words(KEY)

@des.encrypt(form="words")                           # enciphering
def encrypt_words(K, plaintext):
    return be_bytes(crypt_words([(K, ENCIPHER)], be_words(plaintext, 64)[0]))

@des.decrypt(form="words")                           # deciphering
def decrypt_words(K, ciphertext):
    return be_bytes(crypt_words([(K, DECIPHER)], be_words(ciphertext, 64)[0]))
