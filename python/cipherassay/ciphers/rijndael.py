"""Rijndael with 128-bit blocks. J. Daemen, V. Rijmen: AES Proposal: Rijndael, version 2, September 1999 [DR99]."""

from cipherassay.lang import *

rijndael = Cipher("Rijndael", key_bits=(128, 192, 256), structure="SPN", source="[DR99]", aliases=("aes",))
F = GF(0x11B)                                        # section 2.1: m(x) = x^8 + x^4 + x^3 + x + 1
Nb = 4                                               # section 4.1: columns of the state, a byte vector column by column

def sub_byte(a):                                     # section 4.2.1: inverse, then the affine mapping
    b = u8(F.inv(a))
    return b ^ rotl(b, 1) ^ rotl(b, 2) ^ rotl(b, 3) ^ rotl(b, 4) ^ 0x63

S = table(u8, [sub_byte(a) for a in range(256)])
Si = S.inverse
Rcon = table(u8, [0] + [F.pow(2, n - 1) for n in range(1, 15)])          # section 4.3.1: Rcon[i] = x^(i - 1)
SHIFT_ROW = [(n + 4 * (n % 4)) % 16 for n in range(16)]                  # section 4.2.2: byte n is row n % 4, column n // 4
INV_SHIFT_ROW = [(n - 4 * (n % 4)) % 16 for n in range(16)]
MIX_COLUMN = F.circulant([2, 3, 1, 1])                                   # section 4.2.3
INV_MIX_COLUMN = F.circulant([0x0E, 0x0B, 0x0D, 0x09])

@rijndael.key_schedule                               # section 4.3.1
def key_expansion(K):
    Nk = len(K) // 4
    Nr = Nk + 6
    W = array(u8, Nb * (Nr + 1), 4)
    for i in range(Nk):
        W[i] = K[4 * i:4 * i + 4]
    for i in rounds(Nk, Nb * (Nr + 1)):
        temp = W[i - 1]
        if i % Nk == 0:
            temp = S[temp.rotate(1)] ^ vec(u8, Rcon[i // Nk], 0, 0, 0)   # SubByte(RotByte(temp)) ^ Rcon[i / Nk]
        elif Nk > 6 and i % Nk == 4:
            temp = S[temp]
        W[i] = W[i - Nk] ^ temp
    return W

def round_key(W, r):                                 # section 4.3.2
    return W[Nb * r:Nb * r + Nb]

@rijndael.encrypt                                    # section 4.4
def encrypt(W, plaintext):
    Nr = len(W) // Nb - 1
    state = plaintext ^ round_key(W, 0)
    for r in rounds(1, Nr):
        state = MIX_COLUMN.columns(S[state][SHIFT_ROW]) ^ round_key(W, r)
    return S[state][SHIFT_ROW] ^ round_key(W, Nr)

@rijndael.decrypt                                    # section 5.3: the inverses of the steps, in reverse order
def decrypt(W, ciphertext):
    Nr = len(W) // Nb - 1
    state = ciphertext ^ round_key(W, Nr)
    for r in rounds(Nr - 1, 0, -1):
        state = INV_MIX_COLUMN.columns(Si[state[INV_SHIFT_ROW]] ^ round_key(W, r))
    return Si[state[INV_SHIFT_ROW]] ^ round_key(W, 0)

def inverse_keys(W):                                 # section 5.3.3: InvMixColumn on all round keys but the first and the last
    D = array(u8, len(W), 4)
    D[0:Nb], D[len(W) - Nb:] = W[0:Nb], W[len(W) - Nb:]
    for i in steps(Nb, len(W) - Nb):
        D[i] = INV_MIX_COLUMN @ W[i]
    return D

@rijndael.key_schedule_decrypt(form="equivalent-inverse")                # section 5.3.3
def equivalent_key_expansion(K):
    return inverse_keys(key_expansion(K))

@rijndael.decrypt(form="equivalent-inverse")                             # section 5.3.3
def equivalent_decrypt(W, ciphertext):
    Nr = len(W) // Nb - 1
    state = ciphertext ^ round_key(W, Nr)
    for r in rounds(Nr - 1, 0, -1):
        state = INV_MIX_COLUMN.columns(Si[state][INV_SHIFT_ROW]) ^ round_key(W, r)
    return Si[state][INV_SHIFT_ROW] ^ round_key(W, 0)

@rijndael.key_schedule(form="combined")                                  # section 5.3.3: keys for both directions at once
def combined_key_expansion(K):
    W = key_expansion(K)
    return W, inverse_keys(W)

rijndael.encrypt(lambda keys, plaintext: encrypt(keys[0], plaintext), form="combined")
rijndael.decrypt(lambda keys, ciphertext: equivalent_decrypt(keys[1], ciphertext), form="combined")

@rijndael.encrypt(form="word-serial")                # as encrypt, a column after another: i % Nb of round i // Nb
def encrypt_by_columns(W, plaintext):
    s, t = plaintext, plaintext[0:12]                # s turns, column in hand first; t: the columns of the next state so far
    for i in rounds(len(W)):
        if i < Nb:
            column = s[0:4]
        elif i < len(W) - Nb:
            column = MIX_COLUMN @ S[s[[0, 5, 10, 15]]]
        else:
            column = S[s[[0, 5, 10, 15]]]
        column = column ^ W[i]
        s, t = s.rotate(4) if i % Nb < Nb - 1 else join(t, column), join(t[4:12], column)
    return s

@rijndael.decrypt(form="word-serial")                # as decrypt, columns from the last to the first
def decrypt_by_columns(W, ciphertext):
    s, t = ciphertext, ciphertext[0:12]              # s turns, column in hand last
    for i in rounds(len(W) - 1, -1, -1):
        if i >= len(W) - Nb:
            column = s[12:16] ^ W[i]
        elif i >= Nb:
            column = INV_MIX_COLUMN @ (Si[s[[12, 9, 6, 3]]] ^ W[i])
        else:
            column = Si[s[[12, 9, 6, 3]]] ^ W[i]
        s, t = s.rotate(12) if i % Nb > 0 else join(column, t), join(column, t[0:8])
    return s
