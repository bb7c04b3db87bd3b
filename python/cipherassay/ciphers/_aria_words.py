"""ARIA in 32-bit words: section 2.4.3 is A = M P M N, where N gives each byte of a word to its other three [RFC5794]."""

from functools import reduce
from operator import xor

from cipherassay.lang import *

def add_words(aria, SB, CK, rotated, SL2):
    """Add the form `words` to the cipher, given SB1 to SB4, CK1 to CK3 by bytes of the key, ek's rotations and SL2."""
    N = [0x00010101, 0x01000101, 0x01010001, 0x01010100]
    BOXES = [[table(u32, [n * int(box[x]) for x in range(256)]) for n, box in zip(N, boxes, strict=True)]
             for boxes in (SB, SB[2:] + SB[:2])]      # section 2.4.2: SL1 and SL2, with N behind them

    def M(a, b, c, d):                                   # section 2.4.3: sums of three words
        b, c = b ^ c, c ^ d
        a, d = a ^ b, d ^ b
        return vec(a, b ^ c ^ a, c ^ a, d)

    def MPM(T):                                          # section 2.4.3: P moves bytes within words
        a, b, c, d = M(*T)
        b, d = le_words(be_bytes(b, d), 32)
        return M(a, rotl(b, 16), rotl(c, 16), d)

    def F_words(boxes, D):                               # section 2.4.1: FO and FE behind the key
        return MPM([reduce(xor, [box[byte(d, 3 - j)] for j, box in enumerate(boxes)]) for d in D])

    @aria.key_schedule(form="words")                     # section 2.2
    def key_schedule_words(K):
        CK1, CK2, CK3 = [be_words(vec(u8, *c.to_bytes(16, "big")), 32) for c in CK[len(K)]]
        W0, KR = be_words(K[0:16], 32), be_words(vec(u8, *K[16:], *[0] * (32 - len(K))), 32)
        W1 = F_words(BOXES[0], W0 ^ CK1) ^ KR
        W2 = F_words(BOXES[1], W1 ^ CK2) ^ W0
        W3 = F_words(BOXES[0], W2 ^ CK3) ^ W1
        W = [W0, W1, W2, W3]
        ek = array(u32, range(1, len(K) // 4 + 10), 4)
        for i in range(len(K) // 4 + 9):
            ek[i + 1] = W[i % 4] ^ be_words(rotated([be_bytes(w) for w in W], i), 32)
        return ek

    @aria.key_schedule_decrypt(form="words")             # section 2.2
    def key_schedule_decrypt_words(K):
        ek, n = key_schedule_words(K), len(K) // 4 + 8
        dk = array(u32, range(1, n + 2), 4)
        dk[1], dk[n + 1] = ek[n + 1], ek[1]
        for i in steps(2, n + 1):
            dk[i] = MPM([rotl(w, 8) ^ rotl(w, 16) ^ rotl(w, 24) for w in ek[n + 2 - i]])
        return dk

    @aria.encrypt(form="words")                          # section 2.3.1
    def encrypt_words(ek, P):
        n, D = len(ek) - 1, be_words(P, 32)
        for i in rounds(1, n):
            D = F_words(BOXES[(i + 1) % 2], D ^ ek[i])
        return SL2(be_bytes(D ^ ek[n])) ^ be_bytes(ek[n + 1])

    @aria.decrypt(form="words")                          # section 2.3.2
    def decrypt_words(dk, C):
        return encrypt_words(dk, C)
