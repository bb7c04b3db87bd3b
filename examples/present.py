"""PRESENT. A. Bogdanov et al.: PRESENT: An Ultra-Lightweight Block Cipher, CHES 2007 [BKL07]; bits as vectors, bit 0 the least significant."""

from cipherassay.lang import *

present = Cipher("PRESENT", block_bits=64, key_bits=(80, 128), structure="SPN", source="[BKL07]")
S = table(word(4), [int(x, 16) for x in "C56B90AD3EF84712"])             # section 3: sBoxLayer
P = [63 if i == 63 else 16 * i % 63 for i in range(64)]                  # section 3: bit i moves to position P(i)
P_inv = [P.index(i) for i in range(64)]

def to_bits(data):                                   # the paper's numbers are written most significant byte first
    return vec(*[bits(b, i, 1) for b in data[::-1] for i in range(8)])

def to_bytes(b):                                     # section 3: the state written as a number again
    return vec(*[concat(*b[i:i + 8]) for i in range(0, len(b), 8)])[::-1]

def substitute(box, b):                             # section 3: sBoxLayer, four bits at a time
    nibbles = [box[concat(*b[i:i + 4])] for i in range(0, len(b), 4)]
    return vec(*[bits(x, i, 1) for x in nibbles for i in range(4)])

@present.key_schedule                                # section 3: 80-bit keys; appendix: 128-bit keys
def key_schedule(key):
    k = to_bits(key)
    n = len(k)
    K = array(word(1), range(1, 33), 64)
    for i in rounds(1, 32):
        K[i] = k[n - 64:]
        k = k.rotate(-61)                            # 1. rotated by 61 positions to the left
        boxes = 4 if n == 80 else 8
        k = join(k[:n - boxes], substitute(S, k[n - boxes:]))            # 2. the leftmost bits through the S-box
        low = 15 if n == 80 else 62
        counter = vec(*[bits(word(5)(i), j, 1) for j in range(5)])
        k = join(k[:low], k[low:low + 5] ^ counter, k[low + 5:])         # 3. the round counter
    K[32] = k[n - 64:]
    return K

@present.encrypt                                     # section 3
def encrypt(K, plaintext):
    state = to_bits(plaintext)
    for i in rounds(1, 32):
        state = substitute(S, state ^ K[i])[P_inv]
    return to_bytes(state ^ K[32])

@present.decrypt                                     # section 3: the inverse of each layer, in reverse order
def decrypt(K, ciphertext):
    state = to_bits(ciphertext) ^ K[32]
    for i in rounds(31, 0, -1):
        state = substitute(S.inverse, state[P]) ^ K[i]
    return to_bytes(state)
