"""IDEA with factors of 17 bits: one of the key is 2^16 itself and not 0; all inverses come from one [L92]."""

from cipherassay.lang import *

def add_words(idea, key_schedule):
    """Add the form `words` to the cipher, given its key schedule."""
    def factor(b):
        return select(equal(b, 0), u32(1 << 16), zext(b, 32))

    def multiplied(a, b):                                # multiplication modulo 2^16 + 1, b being a factor
        product = zext(a, 32) * b
        low, high = bits(product, 0, 16), bits(product, 16, 16)
        return low - high + (select(equal(a, 0), 1 - bits(b, 0, 16), u16(0)) + zext(less(low, high), 16))     # their sum is ready before the product

    def product(a, b):
        return multiplied(a, factor(b))

    def inverses_of(X):                                  # key schedule: of pairs by the inverse of their product, of one x^(2^16 - 1); none is 0
        if len(X) == 1:
            (x,) = X
            for n in (1, 2, 4, 8):                       # x^(2^n - 1)
                y = x
                for _ in range(n):
                    y = product(y, y)
                x = product(y, x)
            return [x]
        pairs, alone = list(zip(X[:-1:2], X[1::2], strict=True)), X[len(X) // 2 * 2:]
        Y = inverses_of([product(a, b) for a, b in pairs] + alone)
        return [product(y, x) for y, (a, b) in zip(Y[:len(pairs)], pairs, strict=True) for x in (b, a)] + Y[len(pairs):]

    def factors(Z):                                      # key schedule: words as they are added and as they are factors
        K = array(u32, 52)
        for i in range(52):
            K[i] = zext(Z[i], 32) if i % 6 in (1, 2) else factor(Z[i])
        return K

    @idea.key_schedule(form="words")                     # key schedule
    def key_schedule_words(key):
        return factors(key_schedule(key))

    @idea.key_schedule_decrypt(form="words")             # decryption
    def key_schedule_decrypt_words(key):
        Z = key_schedule(key)
        inverses = inverses_of([Z[i] for r in range(9) for i in (48 - 6 * r, 51 - 6 * r)])
        K = list(range(52))
        for r in range(9):
            b, c = (50, 49) if 0 < r < 8 else (49, 50)
            K[6 * r:6 * r + 4] = inverses[2 * r], 0 - Z[b - 6 * r], 0 - Z[c - 6 * r], inverses[2 * r + 1]
            if r < 8:
                K[6 * r + 4], K[6 * r + 5] = Z[6 * (7 - r) + 4], Z[6 * (7 - r) + 5]
        return factors(K)

    @idea.encrypt(form="words")                          # encryption
    def encrypt_words(Z, plaintext):
        X1, X2, X3, X4 = be_words(plaintext, 16)
        for r in rounds(8):
            X1, X2 = multiplied(X1, Z[6 * r]), X2 + bits(Z[6 * r + 1], 0, 16)
            X3, X4 = X3 + bits(Z[6 * r + 2], 0, 16), multiplied(X4, Z[6 * r + 3])
            t0 = multiplied(X1 ^ X3, Z[6 * r + 4])
            t1 = multiplied(t0 + (X2 ^ X4), Z[6 * r + 5])
            t2 = t0 + t1
            X1, X2, X3, X4 = X1 ^ t1, X3 ^ t1, X2 ^ t2, X4 ^ t2
        return be_bytes(multiplied(X1, Z[48]), X3 + bits(Z[49], 0, 16), X2 + bits(Z[50], 0, 16), multiplied(X4, Z[51]))

    @idea.decrypt(form="words")                          # the same with the subkeys of decryption
    def decrypt_words(Z, ciphertext):
        return encrypt_words(Z, ciphertext)
