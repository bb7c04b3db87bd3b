"""The block function of ChaCha20. D. J. Bernstein: ChaCha, a variant of Salsa20, SASC 2008 [Ber08a]."""

from cipherassay.lang import *

chacha20 = Function("ChaCha20", slug="chacha20", input_bits=128, output_bits=512, key_bits=(256,), rounds=(20, 12, 8), structure="ARX",
                    source="[Ber08a]", aliases=("chacha",))
SIGMA = [int.from_bytes(b"expand 32-byte k"[n:n + 4], "little") for n in range(0, 16, 4)]  # section 3.2: the constants
COLUMNS = [(j, 4 + j, 8 + j, 12 + j) for j in range(4)]
DIAGONALS = [(j, 4 + (1 + j) % 4, 8 + (2 + j) % 4, 12 + (3 + j) % 4) for j in range(4)]   # section 3.2

def quarter_round(a, b, c, d):                       # section 3.1
    a = a + b
    d = rotl(d ^ a, 16)
    c = c + d
    b = rotl(b ^ c, 12)
    a = a + b
    d = rotl(d ^ a, 8)
    c = c + d
    b = rotl(b ^ c, 7)
    return a, b, c, d

@chacha20.key_schedule                               # section 3.2: the key's words are used as they are
def key_schedule(key):
    return le_words(key)

@chacha20.evaluate                                   # section 3.2: constants, key, block counter and nonce
def evaluate(k, input, n):
    start = vec(*[u32(word) for word in SIGMA], *k, *le_words(input))
    x = vec(*start)
    for _ in rounds(n // 2):                         # a double round: columns, then diagonals
        for p, q, r, s in COLUMNS + DIAGONALS:
            x[p], x[q], x[r], x[s] = quarter_round(x[p], x[q], x[r], x[s])
    return le_bytes(x + start)
