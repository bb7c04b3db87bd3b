"""The key schedule of MARS as submitted first. C. Burwick et al. (IBM): MARS - a candidate cipher for AES, June 1998 [IBM98]."""

from cipherassay.lang import *

def add_round_1(mars, S, fixed):
    """Add the variant `round-1` to the cipher, given its S-box and what it does to a multiplication subkey."""
    @mars.key_schedule(variant="round-1")                # [IBM98] key expansion
    def key_schedule_round_1(key):
        k = ring(u32, len(key) // 4)
        k[:] = le_words(key)
        T = array(u32, range(-7, 40))
        T[-7:0] = S[0:7]
        for i in rounds(39):                             # linear expansion
            T[i] = rotl(T[i - 7] ^ T[i - 2], 3) ^ k[i] ^ i
        T[39] = len(k)
        for _ in rounds(7):                              # S-box based stirring
            for i in rounds(1, 40):
                T[i] = rotl(T[i] + S[bits(T[i - 1], 0, 9)], 9)
            T[0] = rotl(T[0] + S[bits(T[39], 0, 9)], 9)
        K = ring(u32, 40)
        for i in rounds(40):
            K[7 * i] = T[i]
        for i in rounds(5, 36, 2):
            K[i] = fixed(K[i], K[i + 3], 0xFFFFFFFC)
        return K
