"""LED. J. Guo, T. Peyrin, A. Poschmann, M. Robshaw: The LED Block Cipher, CHES 2011, as revised in ePrint 2012/600 [GPPR11]."""

from cipherassay.lang import *

led = Cipher("LED", block_bits=64, key_bits=(64, 80, 96, 128), structure="SPN", source="[GPPR11]")
S = table(word(4), [int(x, 16) for x in "C56B90AD3EF84712"])             # section 2: SubCells, the S-box of PRESENT
F = GF(0x13)
M = F.matrix([[4, 1, 2, 2], [8, 6, 5, 6], [11, 14, 10, 9], [2, 2, 15, 11]])          # section 2: MixColumnsSerial
SHIFT = [4 * i + (i + j) % 4 for i in range(4) for j in range(4)]        # section 2: ShiftRows, a state row by row
SHIFT_inv = [SHIFT.index(i) for i in range(16)]

def constants():                                     # section 2: AddConstants, six bits updated before each use
    rc, found = 0, []
    for _ in range(48):
        rc = rc << 1 & 63 | rc >> 5 ^ rc >> 4 & 1 ^ 1
        found.append(rc)
    return found

RC = table(u8, constants())

def nibbles(data):                                   # section 2: the state, row by row
    return vec(*[bits(b, low, 4) for b in data for low in (4, 0)])

def to_bytes(s):                                     # section 2: the nibbles concatenated
    return vec(*[concat(s[i + 1], s[i]) for i in range(0, 16, 2)])

def columns(A, s):                              # section 2: a matrix times each column
    made = [A @ s[[j, j + 4, j + 8, j + 12]] for j in range(4)]
    return vec(*[made[j][i] for i in range(4) for j in range(4)])

def add_constants(s, ks, r):                         # section 2: AddConstants, ks the key size in bits
    high, low = zext(bits(RC[r], 3, 3), 4), zext(bits(RC[r], 0, 3), 4)
    first = [i ^ (ks >> 4 if i < 2 else ks & 15) for i in range(4)]
    second = [high, low, high, low]
    return vec(*[s[n] ^ first[n // 4] if n % 4 == 0 else s[n] ^ second[n // 4] if n % 4 == 1 else s[n] for n in range(16)])

@led.key_schedule                                    # section 2: none, the nibbles of the key are used over and over
def key_schedule(key):
    K = array(word(4), 2 * len(key))
    K[:] = nibbles(key)
    return K

def subkey(K, i):                                    # section 2: the i-th subkey
    return [K[(j + 16 * i) % len(K)] for j in range(16)]

def steps_for(K):                                    # section 2: 8 steps of four rounds for 64 bits, 12 for more
    return 8 if len(K) == 16 else 12

@led.encrypt                                         # section 2: AddConstants, SubCells, ShiftRows, MixColumnsSerial four times a step
def encrypt(K, plaintext):
    s = nibbles(plaintext) ^ subkey(K, 0)
    for i in rounds(steps_for(K)):
        for j in range(4):
            s = columns(M, S[add_constants(s, 4 * len(K), 4 * i + j)][SHIFT])
        s = s ^ subkey(K, i + 1)
    return to_bytes(s)

@led.decrypt                                         # section 2: the inverse of each step, in reverse order
def decrypt(K, ciphertext):
    s = nibbles(ciphertext)
    for i in rounds(steps_for(K) - 1, -1, -1):
        s = s ^ subkey(K, i + 1)
        for j in (3, 2, 1, 0):
            s = add_constants(S.inverse[columns(M.inverse, s)[SHIFT_inv]], 4 * len(K), 4 * i + j)
    return to_bytes(s ^ subkey(K, 0))
