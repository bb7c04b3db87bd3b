"""RECTANGLE. W. Zhang et al.: RECTANGLE: A Bit-slice Lightweight Block Cipher Suitable for Multiple Platforms, 2015 [ZBL15]; strings row by row."""

from cipherassay.lang import *

rectangle = Cipher("RECTANGLE", block_bits=64, key_bits=(80, 128), structure="SPN", source="[ZBL15]")
S = sbox([int(x, 16) for x in "65CA1E79B03D8F42"])   # SubColumn: row 0 holds the least significant bits
Nr = 25                                              # the number of rounds

def constants():                                     # key schedule: the 5-bit LFSR, rc_0 = rc_4 ^ rc_2
    rc = [1]
    while len(rc) < Nr:
        rc.append(rc[-1] << 1 & 31 | rc[-1] >> 4 ^ rc[-1] >> 2 & 1)
    return rc

RC = table(u8, constants())

def columns(rows, count):                            # key schedule: the S-box on the rightmost columns of the first four rows
    low = bitsliced(S, [bits(row, 0, count) for row in rows[0:4]])
    boxed = [concat(x, bits(row, count, row.width - count)) for x, row in zip(low, rows, strict=False)]
    return join(boxed, rows[4:])

@rectangle.key_schedule                              # key schedule: for 80 and for 128 bits
def key_schedule(key):
    short = len(key) == 10
    k = be_words(key, 16 if short else 32)
    K = array(u16, Nr + 1, 4)
    for i in rounds(Nr):
        K[i] = [bits(row, 0, 16) for row in k[0:4]]
        if short:
            k = columns(k, 4)
            k = vec(rotl(k[0], 8) ^ k[1], k[2], k[3], rotl(k[3], 12) ^ k[4], k[0])
        else:
            k = columns(k, 8)
            k = vec(rotl(k[0], 8) ^ k[1], k[2], rotl(k[2], 16) ^ k[3], k[0])
        k[0] = k[0] ^ zext(RC[i], k[0].width)
    K[Nr] = [bits(row, 0, 16) for row in k[0:4]]
    return K

@rectangle.encrypt                                   # the round transformation: AddRoundkey, SubColumn, ShiftRow
def encrypt(K, plaintext):
    state = be_words(plaintext, 16)
    for i in rounds(Nr):
        a = bitsliced(S, state ^ K[i])
        state = vec(a[0], rotl(a[1], 1), rotl(a[2], 12), rotl(a[3], 13))
    return be_bytes(state ^ K[Nr])

@rectangle.decrypt                                   # the inverse of each step, in reverse order
def decrypt(K, ciphertext):
    state = be_words(ciphertext, 16) ^ K[Nr]
    for i in rounds(Nr - 1, -1, -1):
        a = vec(state[0], rotr(state[1], 1), rotr(state[2], 12), rotr(state[3], 13))
        state = bitsliced(S.inverse, a) ^ K[i]
    return be_bytes(state)
