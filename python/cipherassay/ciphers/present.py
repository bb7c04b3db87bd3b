"""PRESENT. A. Bogdanov et al.: PRESENT: An Ultra-Lightweight Block Cipher, CHES 2007 [BKL07]; b_63 is the first bit, b_0 the last."""

from cipherassay.lang import *

present = Cipher("PRESENT", block_bits=64, key_bits=(80, 128), structure="SPN", source="[BKL07]")
S = table(word(4), [int(x, 16) for x in "C56B90AD3EF84712"])             # section 3: sBoxLayer
P = [63 if i == 63 else 16 * i % 63 for i in range(64)]                  # section 3: bit i moves to position P(i)
P_inv = [P.index(i) for i in range(64)]

def substitute(box, x):                              # section 3: sBoxLayer, four bits at a time
    return concat(*[box[bits(x, i, 4)] for i in range(0, x.width, 4)])

def permute(order, x):                               # section 3: pLayer, bit i of the result from bit order[i]
    return concat(*[bits(x, i, 1) for i in order])

@present.key_schedule                                # section 3: 80-bit keys; appendix II: 128-bit keys
def key_schedule(key):
    n = 8 * len(key)
    k = [bits(b, i, 1) for b in key[::-1] for i in range(8)]
    K = array(u64, range(1, 33))
    for i in rounds(1, 32):
        K[i] = concat(*k[n - 64:])
        k = k[n - 61:] + k[:n - 61]                  # 1. rotated by 61 positions to the left
        left = n - 4 if n == 80 else n - 8
        boxed = substitute(S, concat(*k[left:]))     # 2. the leftmost bits through the S-box
        k[left:] = [bits(boxed, j, 1) for j in range(n - left)]
        low = 15 if n == 80 else 62
        for j in range(5):                           # 3. the round counter
            k[low + j] = k[low + j] ^ bits(word(5)(i), j, 1)
    K[32] = concat(*k[n - 64:])
    return K

@present.encrypt                                     # section 3
def encrypt(K, plaintext):
    state, = be_words(plaintext, 64)
    for i in rounds(1, 32):
        state = permute(P_inv, substitute(S, state ^ K[i]))
    return be_bytes(state ^ K[32])

@present.decrypt                                     # section 3: the inverse of each layer, in reverse order
def decrypt(K, ciphertext):
    state = be_words(ciphertext, 64)[0] ^ K[32]
    for i in rounds(31, 0, -1):
        state = substitute(S.inverse, permute(P, state)) ^ K[i]
    return be_bytes(state)
