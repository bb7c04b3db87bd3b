"""The functions of Rijndael with wider blocks. J. Daemen, V. Rijmen: AES Proposal: Rijndael, version 2, September 1999."""

from cipherassay.ciphers.rijndael import INV_MIX_COLUMN, MIX_COLUMN, F, S, Si
from cipherassay.lang import *

Rcon = table(u8, [0] + [F.pow(2, n - 1) for n in range(1, 31)])          # section 4.3.1
OFFSETS = {6: (0, 1, 2, 3), 8: (0, 1, 3, 4)}         # section 4.2.2: the shift of each row by the columns of the state


def add_rijndael(cipher):
    """Give a cipher the functions of Rijndael for its block of Nb columns, a byte vector column by column."""
    Nb = cipher.block_bits // 32
    shift_row = [(n + 4 * OFFSETS[Nb][n % 4]) % (4 * Nb) for n in range(4 * Nb)]
    inv_shift_row = [shift_row.index(n) for n in range(4 * Nb)]

    @cipher.key_schedule                                 # section 4.3.1
    def key_expansion(K):
        Nk = len(K) // 4
        Nr = max(Nk, Nb) + 6                             # section 4.1
        W = array(u8, Nb * (Nr + 1), 4)
        for i in range(Nk):
            W[i] = K[4 * i:4 * i + 4]
        for i in rounds(Nk, Nb * (Nr + 1)):
            temp = W[i - 1]
            if i % Nk == 0:
                temp = S[temp.rotate(1)] ^ vec(u8, Rcon[i // Nk], 0, 0, 0)
            elif Nk > 6 and i % Nk == 4:
                temp = S[temp]
            W[i] = W[i - Nk] ^ temp
        return W

    def round_key(W, r):                                 # section 4.3.2
        return W[Nb * r:Nb * r + Nb]

    @cipher.encrypt                                      # section 4.4
    def encrypt(W, plaintext):
        Nr = len(W) // Nb - 1
        state = plaintext ^ round_key(W, 0)
        for r in rounds(1, Nr):
            state = MIX_COLUMN.columns(S[state][shift_row]) ^ round_key(W, r)
        return S[state][shift_row] ^ round_key(W, Nr)

    @cipher.decrypt                                      # section 5.3: the inverses of the steps, in reverse order
    def decrypt(W, ciphertext):
        Nr = len(W) // Nb - 1
        state = ciphertext ^ round_key(W, Nr)
        for r in rounds(Nr - 1, 0, -1):
            state = INV_MIX_COLUMN.columns(Si[state[inv_shift_row]] ^ round_key(W, r))
        return Si[state[inv_shift_row]] ^ round_key(W, 0)
