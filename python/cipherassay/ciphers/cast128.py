"""CAST-128. C. Adams: The CAST-128 Encryption Algorithm, RFC 2144, May 1997 [RFC2144]; of the keys of 40 to 128 bits, those of its vectors."""

from cipherassay.ciphers._cast import S, f1, f2, f3
from cipherassay.lang import *

cast128 = Cipher("CAST-128", block_bits=64, key_bits=(128, 80, 40), structure="Feistel", source="[RFC2144]", slug="cast128",
                 aliases=("cast5",))
# section 2.4: the word of the source that a new word starts from, then the bytes that S5 to S8 are given, then a last one of the source
FROM_X = ((0, "DFCE8", 7), (8, "0213A", 8), (12, "76549", 5), (4, "A9B8B", 6))
FROM_Z = ((8, "57460", 7), (0, "02132", 8), (4, "76541", 5), (12, "A9B83", 6))
# section 2.4: the bytes that S5 to S8 are given for four keys, and the fifth, that S5, S6, S7, S8 is given in turn
K_1 = ("89762", "AB546", "CD329", "EF10C")
K_5 = ("32CD8", "10EFD", "76893", "54AB7")
K_9 = ("32CD9", "10EFC", "76892", "54AB6")
K_13 = ("89763", "AB547", "CD328", "EF10D")

def boxes(v, digits):                                # section 2.4: S5 to S8 of four of the sixteen bytes
    return S[4][v[digits[0]]] ^ S[5][v[digits[1]]] ^ S[6][v[digits[2]]] ^ S[7][v[digits[3]]]

def next_bytes(old, recipe):                         # section 2.4: z0 to zF of x0 to xF, or the other way round
    new = []
    for n, (start, hexadecimal, last) in enumerate(recipe):
        digits = [int(h, 16) for h in hexadecimal]
        word = be_words(vec(*old[start:start + 4]))[0] ^ boxes(new if n else old, digits) ^ S[last - 1][old[digits[4]]]
        new += list(be_bytes(word))
    return new

def four_keys(v, recipe):                            # section 2.4: K1 to K4, or the next four
    keys = []
    for n, hexadecimal in enumerate(recipe):
        digits = [int(h, 16) for h in hexadecimal]
        keys.append(boxes(v, digits) ^ S[4 + n][v[digits[4]]])
    return keys

@cast128.key_schedule                                # section 2.4; section 2.5: short keys are padded with zeros
def key_schedule(key):
    n = 12 if len(key) <= 10 else 16                 # section 2.5: 12 rounds for keys of up to 80 bits
    x = [*key, *[u8(0)] * (16 - len(key))]
    K = []
    for _ in range(2):
        z = next_bytes(x, FROM_X)
        K += four_keys(z, K_1)
        x = next_bytes(z, FROM_Z)
        K += four_keys(x, K_5)
        z = next_bytes(x, FROM_X)
        K += four_keys(z, K_9)
        x = next_bytes(z, FROM_Z)
        K += four_keys(x, K_13)
    Km, Kr = array(u32, range(1, n + 1)), array(u32, range(1, n + 1))
    Km[1:n + 1], Kr[1:n + 1] = K[0:n], [k & 0x1F for k in K[16:16 + n]]
    return Km, Kr

@cast128.encrypt                                     # section 2
def encrypt(keys, plaintext):
    Km, Kr = keys
    L, R = be_words(plaintext)
    for i in rounds(1, len(Km) + 1):
        L, R = R, L ^ (f3, f1, f2)[i % 3](R, Kr[i], Km[i])
    return be_bytes(R, L)

@cast128.decrypt                                     # section 2: the subkeys in reverse order
def decrypt(keys, ciphertext):
    Km, Kr = keys
    L, R = be_words(ciphertext)
    for i in rounds(len(Km), 0, -1):
        L, R = R, L ^ (f3, f1, f2)[i % 3](R, Kr[i], Km[i])
    return be_bytes(R, L)
