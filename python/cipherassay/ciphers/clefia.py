"""CLEFIA. T. Shirai, K. Shibutani, T. Akishita, S. Moriai, T. Iwata: The 128-bit Blockcipher CLEFIA, FSE 2007 [SSAMI07]; as RFC 6114."""

from cipherassay.lang import *

clefia = Cipher("CLEFIA", key_bits=(128, 192, 256), structure="generalised Feistel", source="[SSAMI07]")
r = {16: 18, 24: 22, 32: 26}                         # the rounds for keys of so many bytes
F4, F8, F16 = GF(0x13), GF(0x11D), GF(0x1A831)
SS = [[int(y, 16) for y in row] for row in ("E6CA872FB14059D3", "640D2BA39CEF8751", "B85EA64CF72310D9", "A26D345E0789BFC1")]

def s0(x):                                           # S-boxes: S0 of four 4-bit S-boxes
    t0, t1 = SS[0][x >> 4], SS[1][x & 15]
    return SS[2][t0 ^ F4.mul(2, t1)] << 4 | SS[3][F4.mul(2, t0) ^ t1]

S0 = table(u8, [s0(x) for x in range(256)])
S1 = table(u8, bytes.fromhex(                        # S-boxes: S1, by the inverse in GF(2^8) between affine maps, as printed
    "6CDAC3E94E9D0A3DB836B43813340CD9BF74948FB79CE5DC9E07494F982CB09312EBCDB392E74160E321273BE619D20E9111C73F2A8EA1BC2BC8C50F5BF3878B"
    "FBF5DE20C6A784CED86551C9A4EF4353255D9B31E83E0DD780FF698ABA0B735C6E541562F6353052A316D32832FAAA5ECFEAED783358097B63C0C1461EDFA999"
    "5504C486397782EC4018909759DD831F9A370624647CA556480885D06126CA6F7E6AB671A07005D1458C231CF0EE89AD7A4BC22FDB5A4D7667172DF4CBB14AA8"
    "B522473AD5104C72CC00F9E0FDE2FEAEF85FABF11B4281D6BE4429A657B9AFF2D47566BB689F5002013C7F8D1A88BDACF7E47996A2FC6DB26B03E12E7D14951D"))
M0 = F8.matrix([[1, 2, 4, 6], [2, 1, 6, 4], [4, 6, 1, 2], [6, 4, 2, 1]])             # diffusion matrices
M1 = F8.matrix([[1, 8, 2, 10], [8, 1, 10, 2], [2, 10, 1, 8], [10, 2, 8, 1]])
IV = {16: (0x428A, 30), 24: (0x7137, 42), 32: (0xB5C0, 46)}                          # constant values: IV and l

def constants(T, l):                                 # constant values CON_i, with P = 0xB7E1, Q = 0x243F
    def rol(x, n):
        return (x << n | x >> 16 - n) & 0xFFFF
    con = []
    for _ in range(l):
        con.append((T ^ 0xB7E1) << 16 | rol(T ^ 0xFFFF, 1))
        con.append((T ^ 0xFFFF ^ 0x243F) << 16 | rol(T, 8))
        T = F16.mul(T, F16.inv(2))
    return con

CON = {n: table(u32, constants(*IV[n]), name=f"CON{8 * n}") for n in IV}

def F0(RK, x):                                       # F-functions
    T = be_bytes(RK) ^ x
    return M0 @ vec(S0[T[0]], S1[T[1]], S0[T[2]], S1[T[3]])

def F1(RK, x):                                       # F-functions
    T = be_bytes(RK) ^ x
    return M1 @ vec(S1[T[0]], S0[T[1]], S1[T[2]], S0[T[3]])

def parts(x):                                        # a string as 32-bit words, each of four bytes
    return [x[i:i + 4] for i in range(0, len(x), 4)]

def GFN(d, RK, count, X):                            # GFN_(d,r): the d-branch network, d = 4 or 8, a half of d round keys a round
    T = parts(X)
    for i in rounds(count):
        for j in range(d // 2):
            T[2 * j + 1] = T[2 * j + 1] ^ (F0, F1)[j % 2](RK[d // 2 * i + j], T[2 * j])
        T = T[1:] + T[:1]
    return join(*T[-1:], *T[:-1])

def GFN4_inverse(RK, count, X):                      # GFN_(4,r)^-1
    T = parts(X)
    for i in rounds(count - 1, -1, -1):
        T = [T[0], T[1] ^ F0(RK[2 * i], T[0]), T[2], T[3] ^ F1(RK[2 * i + 1], T[2])]
        T = T[-1:] + T[:-1]
    return join(*T[1:], *T[:1])

def Sigma(X):                                        # the DoubleSwap function: X[7-63] | X[121-127] | X[0-6] | X[64-120]
    high, low = be_words(X, 64)
    return be_bytes(high << 7 | low & 0x7F, high & (0x7F << 57) | low >> 7)

@clefia.key_schedule                                 # key scheduling part: for 128, for 192 and 256 bits
def key_schedule(K):
    n = len(K)
    C = CON[n]
    RK = array(u32, 2 * r[n])
    if n == 16:
        KL = WK = K
        L = [GFN(4, C, 12, K)]
    else:
        KL, KR = K[0:16], K[16:32] if n == 32 else join(K[16:24], vec(*[~b for b in K[0:8]]))
        L = GFN(8, C, 10, join(KL, KR))
        L, WK = [L[0:16], L[16:32]], KL ^ KR
    for i in range(r[n] // 2):
        side = i // 2 % 2 if n > 16 else 0           # L_L for i mod 4 = 0 and 1, else L_R
        T = be_words(L[side]) ^ [C[(24 if n == 16 else 40) + 4 * i + j] for j in range(4)]
        L[side] = Sigma(L[side])
        if i % 2 == 1:
            T = T ^ be_words(KL if side or n == 16 else KR)
        RK[4 * i:4 * i + 4] = T
    return WK, RK

@clefia.encrypt                                      # data processing part: ENC_r
def encrypt(keys, plaintext):
    WK, RK = keys
    P = parts(plaintext)
    W = parts(WK)
    C = parts(GFN(4, RK, len(RK) // 2, join(P[0], P[1] ^ W[0], P[2], P[3] ^ W[1])))
    return join(C[0], C[1] ^ W[2], C[2], C[3] ^ W[3])

@clefia.decrypt                                      # data processing part: DEC_r
def decrypt(keys, ciphertext):
    WK, RK = keys
    C = parts(ciphertext)
    W = parts(WK)
    P = parts(GFN4_inverse(RK, len(RK) // 2, join(C[0], C[1] ^ W[2], C[2], C[3] ^ W[3])))
    return join(P[0], P[1] ^ W[0], P[2], P[3] ^ W[1])
