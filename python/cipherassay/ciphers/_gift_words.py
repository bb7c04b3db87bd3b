"""The GIFT family in words: word j has bit j of all nibbles. After A. Adomnicai, Z. Najm, T. Peyrin: Fixslicing: A New GIFT Representation,
CHES 2020; GIFT: S. Banik et al., CHES 2017."""

from functools import reduce
from operator import or_

from cipherassay.lang import *


def add_words(cipher, n, number, P, constants, S_bits):
    """Add the form `words` to GIFT-n, given its number of rounds, PermBits, the round constants and the S-box of bits."""
    U, V = (1, 0) if n == 64 else (2, 1)                 # section 2.1: the bits of a nibble to which U and V are added
    # PermBits takes bit j of nibble m to nibble to[j][m]. A nibble has the same place in
    # all four words; it is chosen before each round so that PermBits leaves the last word as it is, and is back after some rounds.
    m = n // 4
    to = [[P[4 * i + j] // 4 for i in range(m)] for j in range(4)]
    at = [list(range(m))]                                # the place of each nibble before a round
    while (places := [at[-1][to[3].index(i)] for i in range(m)]) != at[0]:
        at.append(places)

    def turned(x, way):                                  # each bit from its place to another, by fields that are turned equally
        fields = {}
        for a, b in way:
            fields[(b - a) % m] = fields.get((b - a) % m, 0) | 1 << a
        return reduce(or_, [rotl(x & mask, turn) for turn, mask in sorted(fields.items())])

    def move(r, j, x, back=False):                       # section 2.1: PermBits of word j
        before, after = at[r % len(at)], at[(r + 1) % len(at)]
        way = [(before[i], after[to[j][i]]) for i in range(m)]
        return turned(x, [pair[::-1] for pair in way] if back else way)

    def placed(r, x):                                    # section 2.1: bits of a round key, where the nibbles are behind round r
        places = at[(r + 1) % len(at)]
        return concat(*[bits(x, places.index(i), 1) for i in range(m)])

    def slices(data):                                    # section 2.1: the bits of each nibble, parted
        words = [concat(*[bits(w, 4 * i + j, 1) for j in range(4) for i in range(8)]) for w in be_words(data, 32)[::-1]]
        return vec(*[concat(*[byte(w, j) for w in words]) for j in range(4)])

    def joined(S):                                       # section 2.1: and joined
        words = [concat(*[byte(s, k) for s in S]) for k in range(m // 8)]
        return be_bytes(*[concat(*[bits(w, 8 * j + i, 1) for i in range(8) for j in range(4)]) for w in words[::-1]])

    def constant(r):                                     # section 2.1: the round constant and the first bit
        bits_set = [i for i in range(6) if constants[r] >> i & 1] + [m - 1]
        return sum(1 << at[(r + 1) % len(at)][i] for i in bits_set)

    C_words = table(word(m), [constant(r) for r in range(number)])

    def later(r, x, *turns):                             # section 2.2: a placed round key when its words k_i have been turned so far
        places = at[(r + 1) % len(at)]
        if places == at[0]:
            return concat(*[rotr(bits(x, 16 * i, 16), turn) for i, turn in enumerate(turns)])
        return turned(x, [(places[i // 16 * 16 + (i + turns[i // 16]) % 16], places[i]) for i in range(m)])

    # Rounds after which the places and the words k_i are those of before, but turned; after which V, or U that was V, is as it was.
    lap, again = (4, 16) if n == 64 else (10, 30)

    @cipher.key_schedule(form="words")                   # section 2.2
    def key_schedule_words(key):
        k = be_words(key, 16)[::-1]
        K = array(word(m), number, 2)
        for r in rounds(lap):
            u, v = (k[1], k[0]) if n == 64 else (concat(k[4], k[5]), concat(k[0], k[1]))
            K[r] = vec(placed(r, u), placed(r, v))
            k = join(k[2:], vec(rotr(k[0], 12), rotr(k[1], 2)))
        for r in rounds(lap, number):                    # of GIFT-128 k_5, k_4 are k_1, k_0 two rounds later
            u, v = K[r - lap]
            same = K[r - again][1] if r >= again else later(r, v, 12) if n == 64 else later(r, v, 4, 6)
            K[r] = vec(later(r, u, 2), same) if n == 64 else vec(same, later(r, u, 8, 4))
        return K

    @cipher.encrypt(form="words")                        # section 2.1
    def encrypt_words(K, plaintext):
        S = slices(plaintext)
        for r in rounds(number):
            S = bitsliced(S_bits, S)
            S = vec(*[move(r, j, S[j]) for j in range(4)])
            S[U], S[V], S[3] = S[U] ^ K[r][0], S[V] ^ K[r][1], S[3] ^ C_words[r]
        return joined(S)

    @cipher.decrypt(form="words")                        # section 2.1: the inverse of each step, in reverse order
    def decrypt_words(K, ciphertext):
        S = slices(ciphertext)
        for r in rounds(number - 1, -1, -1):
            S[U], S[V], S[3] = S[U] ^ K[r][0], S[V] ^ K[r][1], S[3] ^ C_words[r]
            S = vec(*[move(r, j, S[j], back=True) for j in range(4)])
            S = bitsliced(S_bits.inverse, S)
        return joined(S)
