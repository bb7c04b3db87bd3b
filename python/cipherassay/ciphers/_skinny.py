"""The functions of the SKINNY family. C. Beierle et al.: The SKINNY Family of Block Ciphers and Its Low-Latency Variant MANTIS, CRYPTO 2016."""

from cipherassay.lang import *

P = [0, 1, 2, 3, 7, 4, 5, 6, 10, 11, 8, 9, 13, 14, 15, 12]               # section 2.3: ShiftRows
P_inv = [P.index(i) for i in range(16)]
PT = [9, 15, 8, 13, 10, 14, 12, 11, 0, 1, 2, 3, 4, 5, 6, 7]              # section 2.3: the permutation of tweakey cells


def constants(count):
    """Return the first states of the LFSR of AddConstants, section 2.3: updated before each use."""
    rc, found = 0, []
    for _ in range(count):
        rc = rc << 1 & 63 | rc >> 5 ^ rc >> 4 & 1 ^ 1
        found.append(rc)
    return found


def add_skinny(cipher, s, S, number):
    """Give a cipher the functions of SKINNY with cells of s bits, for the S-box and the rounds of each number z of tweakey arrays."""
    M = xor_matrix(["134", "1", "23", "13"], width=s)    # section 2.3: MixColumns
    RC = table(u8, constants(max(number.values())))

    def cells(data):                                     # section 2.2: row by row, the first cell holds the first bits
        return data if s == 8 else vec(*[bits(b, low, 4) for b in data for low in (4, 0)])

    def to_bytes(IS):                                    # section 2.2: the cells concatenated
        return IS if s == 8 else vec(*[concat(IS[i + 1], IS[i]) for i in range(0, 16, 2)])

    def columns(A, IS):                             # section 2.3: a matrix times the state, whose rows are four cells each
        made = [A @ IS[[j, j + 4, j + 8, j + 12]] for j in range(4)]
        return vec(*[made[j][i] for i in range(4) for j in range(4)])

    def lfsr_2(x):                                       # table 2: TK2, each bit to the left
        return concat(bits(x, s - 1, 1) ^ bits(x, s - 2 if s == 4 else 5, 1), bits(x, 0, s - 1))

    def lfsr_3(x):                                       # table 2: TK3, each bit to the right
        return concat(bits(x, 1, s - 1), bits(x, 0, 1) ^ bits(x, 3 if s == 4 else 6, 1))

    @cipher.key_schedule                                 # section 2.3: AddRoundTweakey, with the constants of AddConstants
    def key_schedule(key):
        tk = cells(key)
        TK = [tk[16 * z:16 * z + 16] for z in range(len(tk) // 16)]
        K = array(word(s), number[len(TK)], 12)
        for r in rounds(number[len(TK)]):
            k = TK[0][0:8]
            for more in TK[1:]:
                k = k ^ more[0:8]
            k[0] = k[0] ^ zext(bits(RC[r], 0, 4), s)     # c_0 = rc_3 to rc_0
            k[4] = k[4] ^ zext(bits(RC[r], 4, 2), s)     # c_1 = rc_5 rc_4
            K[r] = join(k, vec(word(s), 2, 0, 0, 0))     # c_2 = 2, in the third row
            TK = [one[PT] for one in TK]
            for z, lfsr in zip(range(1, len(TK)), (lfsr_2, lfsr_3), strict=False):
                TK[z] = vec(*[lfsr(x) for x in TK[z][0:8]], *TK[z][8:])
        return K

    @cipher.encrypt                                      # section 2.3
    def encrypt(K, plaintext):
        IS = cells(plaintext)
        for r in rounds(len(K)):
            IS = S[IS]
            IS = join(IS[0:12] ^ K[r], IS[12:])
            IS = columns(M, IS[P])
        return to_bytes(IS)

    @cipher.decrypt                                      # section 2.3: the inverse of each step, in reverse order
    def decrypt(K, ciphertext):
        IS = cells(ciphertext)
        for r in reversed(rounds(len(K))):
            IS = columns(M.inverse, IS)[P_inv]
            IS = join(IS[0:12] ^ K[r], IS[12:])
            IS = S.inverse[IS]
        return to_bytes(IS)
