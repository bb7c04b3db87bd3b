"""E2 on turned bytes. NTT: Specification of E2, 1998 [NTT98]; their order is free: K. Aoki, H. Ueda, 1999 [AU99, 3.2.2]."""

from cipherassay.lang import *

def add_turned(e2, S, IT, BP_inv, feistel, feistel_back, key_schedule_stored):
    """Add the form `turned-bytes` to the cipher, given its functions and the key schedule of stored inverses."""
    RIGHT = [7 - i for i in range(8)] + [23 - i for i in range(8, 16)]   # bytes of each half from the right [AU99, 3.2.2: their order is free]
    P_RIGHT = xor_matrix(["14568", "12567", "23678", "34578", "134678", "124578", "123568", "234567"])    # P, rows and columns from the last

    @function
    def F_right(X, k):                                   # F-function of turned bytes: big-endian words need no reordering
        return S(P_RIGHT @ S(X ^ k[0:8]) ^ k[8:16]).rotate(7)

    @e2.key_schedule(form="turned-bytes")                # as the stored inverses, the subkeys' bytes turned
    def key_schedule_right(key):
        k, inverses15, inverses14 = key_schedule_stored(key)
        turned = array(u8, range(1, 17), 16)
        turned[1:17] = [k[i][RIGHT] for i in range(1, 17)]
        return turned, inverses15, inverses14

    def turned(rounds, A, B, C, inverses):               # a direction on turned bytes, the last key added to words
        def crypt(keys, block):
            X = rounds(keys[0], IT(block, keys[0][A][RIGHT], keys[0][B][RIGHT])[RIGHT], F_right)[RIGHT]
            return be_bytes(be_words(BP_inv(X)) * keys[inverses] ^ be_words(keys[0][C][RIGHT]))
        return crypt

    e2.encrypt(form="turned-bytes")(turned(feistel, 13, 14, 16, 1))
    e2.decrypt(form="turned-bytes")(turned(feistel_back, 16, 15, 13, 2))
