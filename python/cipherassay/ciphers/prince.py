"""PRINCE. J. Borghoff et al.: PRINCE: A Low-Latency Block Cipher for Pervasive Computing Applications, ASIACRYPT 2012 [BCG12]."""

from cipherassay.lang import *

prince = Cipher("PRINCE", block_bits=64, key_bits=(128,), structure="SPN", source="[BCG12]")
S = table(word(4), [int(x, 16) for x in "BF32AC916780E5D4"])             # section 3: the S-layer
RC = table(u64, [0x0000000000000000, 0x13198A2E03707344, 0xA4093822299F31D0, 0x082EFA98EC4E6C89,
                 0x452821E638D01377, 0xBE5466CF34E90C6C, 0x7EF84F78FD955CB1, 0x85840851F1AC43AA,
                 0xC882D32F25323C54, 0x64A51195E0E3610D, 0xD3B5A399CA0C2399, 0xC0AC29B7C97C50DD])   # section 3
alpha = 0xC0AC29B7C97C50DD                           # section 3: RC_i ^ RC_(11 - i)
SR = [5 * i % 16 for i in range(16)]                 # section 3: nibble i of SR comes from nibble SR[i]
SR_inv = [SR.index(i) for i in range(16)]

def nibbles(x):                                      # the first nibble is the most significant
    return vec(*[bits(x, 60 - 4 * i, 4) for i in range(16)])

def number(n):                                       # the nibbles as a number again
    return concat(*n[::-1])

def M_hat(first, x):                                 # section 3: four nibbles times blocks m_k, the identity without row k
    m = [15 ^ 8 >> k for k in range(4)]
    products = [[x[j] & m[(first + i + j) % 4] for j in range(4)] for i in range(4)]
    return vec(*[a ^ b ^ c ^ d for a, b, c, d in products])

def M_prime(x):                                      # section 3: the blocks M^(0), M^(1), M^(1), M^(0); an involution
    return join(M_hat(0, x[0:4]), M_hat(1, x[4:8]), M_hat(1, x[8:12]), M_hat(0, x[12:16]))

def crypt(keys, block):                              # section 3: PRINCE_core with whitening
    k0, k0_prime, k1 = keys
    x = be_words(block, 64)[0] ^ k0 ^ k1 ^ int(RC[0])
    for i in rounds(1, 6):
        x = number(M_prime(S[nibbles(x)])[SR]) ^ RC[i] ^ k1
    x = number(S.inverse[M_prime(S[nibbles(x)])])
    for i in rounds(6, 11):
        x = number(S.inverse[M_prime(nibbles(x ^ k1 ^ RC[i])[SR_inv])])
    return be_bytes(x ^ int(RC[11]) ^ k1 ^ k0_prime)

@prince.key_schedule                                 # section 2: k0' = (k0 >>> 1) ^ (k0 >> 63)
def key_schedule(key):
    k0, k1 = be_words(key, 64)
    return vec(k0, rotr(k0, 1) ^ (k0 >> 63), k1)

@prince.key_schedule_decrypt                         # section 2: decryption is encryption under (k0', k0, k1 ^ alpha)
def key_schedule_decrypt(key):
    k0, k0_prime, k1 = key_schedule(key)
    return vec(k0_prime, k0, k1 ^ alpha)

@prince.encrypt                                      # section 2
def encrypt(keys, plaintext):
    return crypt(keys, plaintext)

@prince.decrypt                                      # section 2: the alpha-reflection
def decrypt(keys, ciphertext):
    return crypt(keys, ciphertext)
