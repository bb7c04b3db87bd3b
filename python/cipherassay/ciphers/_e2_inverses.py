"""E2 with the inverses of the final transformation stored, found in other ways. NTT: Specification of E2, 1998 [NTT98]."""

from cipherassay.lang import *

def add_inverses(e2, padding, f, v, key_schedule, encrypt_stored, decrypt_stored):
    """Add forms to the cipher, given parts of its key schedule and its functions for stored inverses."""
    @e2.key_schedule(form="sequenced-inverses")          # the same, a word of G after another, then a Newton step
    def key_schedule_sequenced(key):                     # key scheduling part
        K = [key[n:n + 8] for n in range(0, len(key), 8)] + padding(key)
        Y, U = ring(u8, 4, 8), v
        Y[:] = K
        q = array(u8, range(-4, 32), 8)
        for n in rounds(-4, 32):                         # Y wraps: the four words of each of nine G
            Y[n] = f(Y[n])
            U = f(U) ^ Y[n]
            q[n] = U
        x, y = ring(u32, 8), ring(u32, 8)
        x[:] = be_words([q[2 * j + i % 2, i // 2] for i in (14, 13) for j in range(16)]) | 1   # of k_15 and k_14
        y[:] = x[:]
        t = u32(1)
        for n in rounds(33):                             # the rings wrap: four steps of each of the eight words; the last
            y[n - 1] = y[n - 1] * t                      # product of a step stands beside the first of the next
            t = 2 - x[n] * y[n]
        k = array(u8, range(1, 17), 16)
        for i in steps(16):
            k[i + 1] = [q[2 * j + i % 2, i // 2] for j in range(16)]
        return k, y[0:4], y[4:8]

    e2.encrypt(form="sequenced-inverses")(encrypt_stored)
    e2.decrypt(form="sequenced-inverses")(decrypt_stored)

    def inverse_growing(x):                              # inverse_mod, each step in words of its correct bits: 5, 8, 16, 32
        y = byte(x, 0)
        y = y + y + y ^ 2
        y = y * (2 - byte(x, 0) * y)
        for n in (8, 16):                                # x y = 1 + 2^n e, so y (2 - x y) = y - 2^n y e
            y = concat(y, 0 - y * bits(bits(x, 0, 2 * n) * zext(y, 2 * n), n, n))
        return y

    @e2.key_schedule(form="growing-inverses")            # as stored-inverses, for processors of short words
    def key_schedule_growing(key):
        k = key_schedule(key)
        return k, *(vec(*[inverse_growing(b) for b in be_words(B) | 1]) for B in (k[15], k[14]))

    e2.encrypt(form="growing-inverses")(encrypt_stored)
    e2.decrypt(form="growing-inverses")(decrypt_stored)
