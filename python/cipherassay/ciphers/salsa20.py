"""The hash function of Salsa20 with its expansion. D. J. Bernstein: The Salsa20 family of stream ciphers, 2008 [Ber08b]."""

from cipherassay.lang import *

salsa20 = Function("Salsa20", slug="salsa20", input_bits=128, output_bits=512, key_bits=(256,), rounds=(20, 12, 8), structure="ARX",
                   source="[Ber08b]", aliases=("salsa",))
SIGMA = [int.from_bytes(b"expand 32-byte k"[n:n + 4], "little") for n in range(0, 16, 4)]  # specification, section 9
COLUMNS = [tuple(4 * ((j + i) % 4) + j for i in range(4)) for j in range(4)]               # section 6
ROWS = [tuple(4 * j + (j + i) % 4 for i in range(4)) for j in range(4)]                    # section 5

def quarter_round(y0, y1, y2, y3):                   # section 3
    y1 = y1 ^ rotl(y0 + y3, 7)
    y2 = y2 ^ rotl(y1 + y0, 9)
    y3 = y3 ^ rotl(y2 + y1, 13)
    y0 = y0 ^ rotl(y3 + y2, 18)
    return y0, y1, y2, y3

@salsa20.key_schedule                                # section 9: the key's words are used as they are
def key_schedule(key):
    return le_words(key)

@salsa20.evaluate                                    # sections 8 and 9: nonce, then block counter
def evaluate(k, input, n):
    c, i = [u32(word) for word in SIGMA], le_words(input)
    start = vec(c[0], *k[0:4], c[1], *i, c[2], *k[4:8], c[3])
    x = vec(*start)
    for _ in rounds(n // 2):                         # section 7: a double round
        for p, q, s, t in COLUMNS + ROWS:
            x[p], x[q], x[s], x[t] = quarter_round(x[p], x[q], x[s], x[t])
    return le_bytes(x + start)
