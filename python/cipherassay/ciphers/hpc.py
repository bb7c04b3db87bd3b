"""HPC-Medium of the Hasty Pudding Cipher, for blocks of 128 bits and spice 0 alone. R. Schroeppel: Hasty Pudding Cipher Specification,
June 1998 [S98], and as revised in May 1999 (variant `may-1999`)."""

from cipherassay.lang import *

hpc = Cipher("HPC-Medium-128", slug="hpc", key_bits=(128, 192, 256), structure="other", source="[S98]", aliases=("hpc-medium", "hasty-pudding"))
PI19, E19, R220 = 3141592653589793238, 2718281828459045235, 14142135623730950488     # internal "random" numbers
MEDIUM, BLOCKSIZE = 3, 128                           # the number of the sub-cipher, bits of a block

def initial(key):                                    # key expansion: initializing the KX array, the key XORed into its first words
    KX = array(u64, 256)
    KX[0], KX[1], KX[2] = u64(PI19 + MEDIUM), u64(E19 * 8 * len(key) % 2**64), rotl(u64(R220), MEDIUM)
    for i in steps(3, 256):
        KX[i] = KX[i - 1] + (KX[i - 2] ^ rotr(KX[i - 3], 23))
    for i, word in enumerate(be_words(key, 64)):
        KX[i] = KX[i] ^ word
    return KX

def stirred(KX, revised):                            # key expansion: the stirring function, three passes
    s0, s1, s2, s3, s4, s5, s6, s7 = [KX[i] for i in range(248, 256)]
    for j in range(3):
        for i in rounds(256):
            s0 = s0 ^ (KX[i] ^ KX[(i + 83) % 256]) + KX[byte(s0, 0)]
            if revised:
                s2 = s2 + KX[i]                      # added in May 1999
            s1 = s1 + s0
            s3 = s3 ^ s2
            s5 = s5 - s4
            s7 = s7 ^ s6
            s3 = s3 + (s0 >> 13)
            s4 = s4 ^ s1 << 11
            s5 = s5 ^ s3 << (s1 & 31)
            s6 = s6 + (s2 >> 17)
            s7 = s7 | s3 + s4
            s2 = s2 - s5
            s0 = s0 - (s6 ^ i)
            s1 = s1 ^ s5 + PI19
            s2 = s2 + (s7 >> j)
            s2 = s2 ^ s1
            s4 = s4 - s3
            s6 = s6 ^ s5
            s0 = s0 + s7
            KX[i] = s2 + s6
    return KX

@hpc.key_schedule                                    # key expansion
def key_schedule(key):
    return stirred(initial(key), revised=False)

@hpc.key_schedule(variant="may-1999")                # key expansion, revised in May 1999
def key_schedule_revised(key):
    return stirred(initial(key), revised=True)

def two_words(KX, s0, i):                            # HPC-Medium: k, kk and their difference; the first words of KX follow the last
    k, kk = KX[byte(s0, 0)], KX[byte(s0, 0) + (3 * i + 1)]
    return k, kk, kk ^ k

@hpc.encrypt                                         # HPC-Medium, with the spice's words left out
def encrypt(KX, plaintext):
    s0, s1 = be_words(plaintext, 64)
    s0, s1 = s0 + KX[BLOCKSIZE], s1 + KX[BLOCKSIZE + 1]
    for i in rounds(8):
        k = KX[byte(s0, 0)]
        s1 = s1 + k
        s0 = s0 ^ k << 8
        s1 = s1 ^ s0
        s0 = s0 - (s1 >> 11)
        s0 = s0 ^ s1 << 2
        s0 = s0 + (s0 << 32 ^ PI19 + BLOCKSIZE)
        s0 = s0 ^ s0 >> 17
        s0 = s0 ^ s0 >> 34
        s0 = s0 + (s0 << 22 + (s0 & 31))
        s0 = s0 ^ s0 >> 23
        k, kk, d = two_words(KX, s0, i)
        s1 = s1 ^ k
        s0 = s0 ^ kk << 8
        s1 = s1 + (d >> 5)
        s0 = s0 - (d << 12)
        s0 = s0 ^ d & 2**64 - 256
        s1 = s1 + s0
        s0 = s0 + (s1 << 3)
        s0 = s0 + KX[BLOCKSIZE + 16 + i]
        s0 = s0 + (s0 << 22)
        s0 = s0 ^ s1 >> 4
        s0 = s0 ^ s0 >> 33 + i
    return be_bytes(s0 + KX[BLOCKSIZE + 8], s1 + KX[BLOCKSIZE + 9])

@hpc.decrypt                                         # HPC-Medium: each statement undone, the last first
def decrypt(KX, ciphertext):
    s0, s1 = be_words(ciphertext, 64)
    s0, s1 = s0 - KX[BLOCKSIZE + 8], s1 - KX[BLOCKSIZE + 9]
    for i in rounds(7, -1, -1):
        s0 = s0 ^ s0 >> 33 + i
        s0 = s0 ^ s1 >> 4
        s0 = s0 - (s0 - (s0 << 22) << 22)
        s0 = s0 - KX[BLOCKSIZE + 16 + i]
        s0 = s0 - (s1 << 3)
        s1 = s1 - s0
        k, kk, d = two_words(KX, s0, i)              # the low byte is still the one that chose them
        s0 = s0 ^ d & 2**64 - 256
        s0 = s0 + (d << 12)
        s1 = s1 - (d >> 5)
        s0 = s0 ^ kk << 8
        s1 = s1 ^ k
        s0 = s0 ^ s0 >> 23 ^ s0 >> 46
        n = 22 + (s0 & 31)
        s0 = s0 - (s0 - (s0 << n) << n)
        s0 = s0 ^ s0 >> 17
        s0 = s0 - (s0 - (PI19 + BLOCKSIZE) << 32 ^ PI19 + BLOCKSIZE)
        s0 = s0 ^ s1 << 2
        s0 = s0 + (s1 >> 11)
        s1 = s1 ^ s0
        k = KX[byte(s0, 0)]                          # as the first shift by 8 left the low byte alone
        s0 = s0 ^ k << 8
        s1 = s1 - k
    return be_bytes(s0 - KX[BLOCKSIZE], s1 - KX[BLOCKSIZE + 1])
