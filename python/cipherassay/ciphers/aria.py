"""ARIA. J. Lee et al.: A Description of the ARIA Encryption Algorithm, RFC 5794, March 2010 [RFC5794]; S-boxes by their rule [KKP03]:
D. Kwon et al.: New Block Cipher: ARIA, ICISC 2003."""

from cipherassay.ciphers._aria_words import add_words
from cipherassay.lang import *

aria = Cipher("ARIA", key_bits=(128, 192, 256), structure="SPN", source="[RFC5794]")
F8 = GF(0x11B)
B_ROWS = (0xF1, 0xE3, 0xC7, 0x8F, 0x1F, 0x3E, 0x7C, 0xF8)                # [KKP03, 2.2]: rows of the affine maps B and C, lowest bit first
C_ROWS = (0x7A, 0xBC, 0xEB, 0xB9, 0x34, 0x81, 0xBA, 0xCB)
C1, C2, C3 = 0x517CC1B727220A94FE13ABE8FA9A6EE0, 0x6DB14ACC9E21C820FF28B1D5EF5DE2B0, 0xDB92371D2126E9700324977504E8C90E   # section 2.2
CK = {16: (C1, C2, C3), 24: (C2, C3, C1), 32: (C3, C1, C2)}              # section 2.2: CK1 to CK3 by bytes of the key

def affine(rows, constant, x):                       # [KKP03, 2.2]: bit i is the parity of x & rows[i]
    return sum(((row & x).bit_count() & 1) << i for i, row in enumerate(rows)) ^ constant

SB1 = table(u8, [affine(B_ROWS, 0x63, F8.inv(x)) for x in range(256)])   # [KKP03, 2.2]: B x^-1 + 63
SB2 = table(u8, [affine(C_ROWS, 0xE2, F8.pow(x, 247)) for x in range(256)])          # [KKP03, 2.2]: C x^247 + E2
SB3, SB4 = SB1.inverse, SB2.inverse                  # section 2.4.2
DIFFUSION = xor_matrix([[j + 1 for j in row] for row in (                # section 2.4.3: output byte i is the XOR of these input bytes
    (3, 4, 6, 8, 9, 13, 14), (2, 5, 7, 8, 9, 12, 15), (1, 4, 6, 10, 11, 12, 15), (0, 5, 7, 10, 11, 13, 14),
    (0, 2, 5, 8, 11, 14, 15), (1, 3, 4, 9, 10, 14, 15), (0, 2, 7, 9, 10, 12, 13), (1, 3, 6, 8, 11, 12, 13),
    (0, 1, 4, 7, 10, 13, 15), (0, 1, 5, 6, 11, 12, 14), (2, 3, 5, 6, 8, 13, 15), (2, 3, 4, 7, 9, 12, 14),
    (1, 2, 6, 7, 9, 11, 12), (0, 3, 6, 7, 8, 10, 13), (0, 3, 4, 5, 9, 11, 14), (1, 2, 4, 5, 8, 10, 15))])

def SL1(x):                                          # section 2.4.2: substitution layer, odd rounds
    return vec(*[(SB1, SB2, SB3, SB4)[i % 4][x[i]] for i in range(16)])

def SL2(x):                                          # section 2.4.2: substitution layer, even rounds
    return vec(*[(SB3, SB4, SB1, SB2)[i % 4][x[i]] for i in range(16)])

@function
def A(x):                                            # section 2.4.3: diffusion layer
    return DIFFUSION @ x

def FO(D, RK):                                       # section 2.4.1: odd rounds
    return A(SL1(D ^ RK))

def FE(D, RK):                                       # section 2.4.1: even rounds
    return A(SL2(D ^ RK))

def FF(D, RK1, RK2):                                 # section 2.4.1: the last round
    return SL2(D ^ RK1) ^ RK2

def rotr128(W, n):                                   # section 2.1: >>> of 128 bits
    a, b = be_words(W, 64)
    if n >= 64:
        a, b, n = b, a, n - 64
    return be_bytes(a >> n | b << 64 - n, b >> n | a << 64 - n)

def rotated(W, i):                                   # section 2.2, ek1 to ek17: >>> 19, >>> 31, <<< 61, <<< 31, <<< 19
    return rotr128(W[(i + 1) % 4], (19, 31, 128 - 61, 128 - 31, 128 - 19)[i // 4])

@aria.key_schedule                                   # section 2.2
def key_schedule(K):
    CK1, CK2, CK3 = [vec(u8, *c.to_bytes(16, "big")) for c in CK[len(K)]]
    W0, KR = K[0:16], vec(u8, *K[16:], *[0] * (32 - len(K)))
    W1 = FO(W0, CK1) ^ KR
    W2 = FE(W1, CK2) ^ W0
    W3 = FO(W2, CK3) ^ W1
    W = [W0, W1, W2, W3]
    ek = array(u8, range(1, len(K) // 4 + 10), 16)   # one more than the rounds: 12, 14, 16
    for i in range(len(K) // 4 + 9):
        ek[i + 1] = W[i % 4] ^ rotated(W, i)
    return ek

@aria.key_schedule_decrypt                           # section 2.2: the round keys of decryption
def key_schedule_decrypt(K):
    ek, n = key_schedule(K), len(K) // 4 + 8
    dk = array(u8, range(1, n + 2), 16)
    dk[1], dk[n + 1] = ek[n + 1], ek[1]
    for i in steps(2, n + 1):
        dk[i] = A(ek[n + 2 - i])
    return dk

@aria.encrypt                                        # section 2.3.1
def encrypt(ek, P):
    n = len(ek) - 1
    for i in rounds(1, n):
        P = FO(P, ek[i]) if i % 2 == 1 else FE(P, ek[i])
    return FF(P, ek[n], ek[n + 1])

@aria.decrypt                                        # section 2.3.2: the same with the other round keys
def decrypt(dk, C):
    return encrypt(dk, C)

add_words(aria, (SB1, SB2, SB3, SB4), CK, rotated, SL2)              # form "words"
