"""CAST-256. C. Adams, J. Gilchrist: The CAST-256 Encryption Algorithm, RFC 2612, June 1999 [RFC2612]; words are big-endian."""

from cipherassay.ciphers._cast import f1, f2, f3
from cipherassay.lang import *

cast256 = Cipher("CAST-256", key_bits=(128, 160, 192, 224, 256), structure="generalised Feistel", source="[RFC2612]", slug="cast256",
                 aliases=("cast6",))
TM = table(u32, [(0x5A827999 + n * 0x6ED9EBA1) % 2**32 for n in range(192)])         # section 2.4: Tm_j(i) and Tr_j(i), n = 8 i + j
TR = table(u32, [(19 + n * 17) % 32 for n in range(192)])

def W(KAPPA, i):                                     # section 2.3: forward octave
    A, B, C, D, E, F, G, H = KAPPA
    Tr, Tm = ([T[8 * i + j] for j in range(8)] for T in (TR, TM))
    G ^= f1(H, Tr[0], Tm[0])
    F ^= f2(G, Tr[1], Tm[1])
    E ^= f3(F, Tr[2], Tm[2])
    D ^= f1(E, Tr[3], Tm[3])
    C ^= f2(D, Tr[4], Tm[4])
    B ^= f3(C, Tr[5], Tm[5])
    A ^= f1(B, Tr[6], Tm[6])
    H ^= f2(A, Tr[7], Tm[7])
    return vec(A, B, C, D, E, F, G, H)

def Q(BETA, Kr, Km):                                 # section 2.3: forward quad-round
    A, B, C, D = BETA
    C ^= f1(D, Kr[0], Km[0])
    B ^= f2(C, Kr[1], Km[1])
    A ^= f3(B, Kr[2], Km[2])
    D ^= f1(A, Kr[3], Km[3])
    return vec(A, B, C, D)

def QBAR(BETA, Kr, Km):                              # section 2.3: reverse quad-round
    A, B, C, D = BETA
    D ^= f1(A, Kr[3], Km[3])
    A ^= f3(B, Kr[2], Km[2])
    B ^= f2(C, Kr[1], Km[1])
    C ^= f1(D, Kr[0], Km[0])
    return vec(A, B, C, D)

@cast256.key_schedule                                # section 2.4; shorter keys are padded with zeros
def key_schedule(key):
    KAPPA = vec(u32, *be_words(key), *[0] * (8 - len(key) // 4))
    Kr, Km = array(u32, 12, 4), array(u32, 12, 4)
    for i in rounds(12):
        KAPPA = W(W(KAPPA, 2 * i), 2 * i + 1)
        A, B, C, D, E, F, G, H = KAPPA
        Kr[i] = vec(A, C, E, G) & 0x1F
        Km[i] = vec(H, F, D, B)
    return Kr, Km

@cast256.encrypt                                     # section 2.5: six forward, six reverse quad-rounds
def encrypt(keys, plaintext):
    Kr, Km = keys
    BETA = be_words(plaintext)
    for i in rounds(6):
        BETA = Q(BETA, Kr[i], Km[i])
    for i in rounds(6, 12):
        BETA = QBAR(BETA, Kr[i], Km[i])
    return be_bytes(BETA)

@cast256.decrypt                                     # section 2.6: the keys of the quad-rounds in reverse order
def decrypt(keys, ciphertext):
    Kr, Km = keys
    BETA = be_words(ciphertext)
    for i in rounds(11, 5, -1):
        BETA = Q(BETA, Kr[i], Km[i])
    for i in rounds(5, -1, -1):
        BETA = QBAR(BETA, Kr[i], Km[i])
    return be_bytes(BETA)
