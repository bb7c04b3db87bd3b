"""Keccak-f[1600]. G. Bertoni, J. Daemen, M. Peeters, G. Van Assche: The Keccak Reference, version 3.0, 2011 [BDPV11]."""

from cipherassay.lang import *

keccak = Permutation("Keccak-f[1600]", slug="keccak", state_bits=1600, structure="SPN", source="[BDPV11]",
                     aliases=("keccak-f", "keccak-f1600"))
W, L, ROUNDS = 64, 6, 24                             # section 1.1: w = 2^l, 12 + 2 l rounds; lane (x, y) is word 5 y + x

def round_constants():                               # section 1.2: rc[t] of the LFSR x^8 + x^6 + x^5 + x^4 + 1, at bits 2^j - 1
    rc, state = [], 1
    for _ in range(255):
        rc.append(state & 1)
        state = state << 1 ^ (0x171 if state & 0x80 else 0)
    return [sum(rc[(j + 7 * i) % 255] << (1 << j) - 1 for j in range(L + 1)) for i in range(ROUNDS)]

def rho_offsets():                                   # section 1.2, rho: (t + 1) (t + 2) / 2 along the orbit of (1, 0)
    offsets, x, y = [0] * 25, 1, 0
    for t in range(24):
        offsets[5 * y + x] = (t + 1) * (t + 2) // 2 % W
        x, y = y, (2 * x + 3 * y) % 5
    return offsets

RC, RHO = table(u64, round_constants()), rho_offsets()
PI = [5 * (x % 5) + (x + 3 * y) % 5 for y in range(5) for x in range(5)]  # section 1.2: lane (x, y) of the result is (x + 3 y, x)
PI_INV = [PI.index(i) for i in range(25)]
CHI = sbox([sum((x >> i & 1 ^ ~(x >> (i + 1) % 5) & x >> (i + 2) % 5 & 1) << i for i in range(5)) for x in range(32)])

def parity(a):                                       # section 1.2, theta: the columns' sums
    return vec(*[a[x] ^ a[x + 5] ^ a[x + 10] ^ a[x + 15] ^ a[x + 20] for x in range(5)])

def neighbours(c, times=1):                          # section 1.2, theta: columns x - 1, and x + 1 with z - 1; or that to a power of 2
    return vec(*[c[(x - times) % 5] ^ rotl(c[(x + times) % 5], times) for x in range(5)])

def rows(box, a):                                    # section 1.2, chi: the non-linear step on each row
    return vec(*[lane for y in range(0, 25, 5) for lane in bitsliced(box, a[y:y + 5])])

@keccak.permute                                      # section 1.2: theta, rho, pi, chi, iota
def permute(state):
    a = le_words(state, 64)
    for i in rounds(ROUNDS):
        D = neighbours(parity(a))
        a = vec(*[rotl(a[n] ^ D[n % 5], RHO[n]) for n in range(25)])
        a = rows(CHI, a[PI])
        a[0] = a[0] ^ RC[i]
    return le_bytes(a)

@keccak.inverse                                      # the inverse of each step, in reverse order
def inverse_of_permute(state):
    a = le_words(state, 64)
    for i in rounds(ROUNDS - 1, -1, -1):
        a[0] = a[0] ^ RC[i]
        a = rows(CHI.inverse, a)[PI_INV]
        a = vec(*[rotr(a[n], RHO[n]) for n in range(25)])
        c = parity(a)                                # 192 times what theta does to it is the identity
        for k in (0, 1, 2, 3, 4, 5, 7):
            c = c ^ neighbours(c, 1 << k)
        D = neighbours(c)
        a = vec(*[a[n] ^ D[n % 5] for n in range(25)])
    return le_bytes(a)
