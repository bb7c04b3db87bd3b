"""Triple DES (TDEA). Data Encryption Standard, FIPS 46-3, October 1999 [FIPS46-3]: keying options 1 (three keys) and 2 (two keys)."""

from cipherassay.ciphers._des import (DECIPHER, ENCIPHER, IP, IP_INVERSE, KS, SOURCE, KS_words, crypt_words, decipher, encipher,
                                      permuted)
from cipherassay.lang import *

tdes = Cipher("Triple DES", block_bits=64, key_bits=(192, 128), structure="Feistel", source=SOURCE, slug="tdes",
              aliases=("3des", "tripledes", "des3", "tdea", "des-ede3"))

def E_K(K, I):                                       # DES encryption of a word
    return permuted(encipher(K, permuted(I, IP)), IP_INVERSE)

def D_K(K, I):                                       # DES decryption of a word
    return permuted(decipher(K, permuted(I, IP)), IP_INVERSE)

@tdes.key_schedule                                   # triple data encryption algorithm: K1, K2, K3; keying option 2: K3 = K1
def key_schedule(KEY):
    K1, K2 = KS(KEY[0:8]), KS(KEY[8:16])
    return (K1, K2, KS(KEY[16:24])) if len(KEY) == 24 else (K1, K2, KS(KEY[0:8]))

@tdes.encrypt                                        # triple data encryption algorithm: O = E_K3(D_K2(E_K1(I)))
def encrypt(keys, plaintext):
    K1, K2, K3 = keys
    return be_bytes(E_K(K3, D_K(K2, E_K(K1, be_words(plaintext, 64)[0]))))

@tdes.decrypt                                        # triple data encryption algorithm: O = D_K1(E_K2(D_K3(I)))
def decrypt(keys, ciphertext):
    K1, K2, K3 = keys
    return be_bytes(D_K(K1, E_K(K2, D_K(K3, be_words(ciphertext, 64)[0]))))

@tdes.key_schedule(form="words")                     # triple data encryption algorithm
def key_schedule_words(KEY):
    K1, K2 = KS_words(KEY[0:8]), KS_words(KEY[8:16])
    return (K1, K2, KS_words(KEY[16:24]) if len(KEY) == 24 else K1)

@tdes.encrypt(form="words")                          # triple data encryption algorithm; IP follows on its inverse between the three
def encrypt_words(keys, plaintext):
    K1, K2, K3 = keys
    return be_bytes(crypt_words([(K1, ENCIPHER), (K2, DECIPHER), (K3, ENCIPHER)], be_words(plaintext, 64)[0]))

@tdes.decrypt(form="words")                          # triple data encryption algorithm
def decrypt_words(keys, ciphertext):
    K1, K2, K3 = keys
    return be_bytes(crypt_words([(K3, DECIPHER), (K2, ENCIPHER), (K1, DECIPHER)], be_words(ciphertext, 64)[0]))
