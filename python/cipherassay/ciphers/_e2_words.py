"""E2 in 32-bit words and tables, as its authors program it [AU99]: K. Aoki, H. Ueda: Optimized Software Implementations of E2, 1999, 3.2."""

from cipherassay.lang import *


def add_words(e2, s, padding, v, inverse_mod):
    """Add the form `word-tables` to the cipher, given its S-box, the padding of a key, v and inverses modulo 2^32."""
    P_WORDS = [table(u32, [int(s[x]) * (0x01010101 - (1 << 24 - 8 * n)) for x in range(256)], name=f"P_{n + 1}") for n in range(4)]   # [AU99, 3.2.5]
    S_WORDS = [table(u32, [int(s[x]) << 8 * n for x in range(256)], name=f"S_{n}") for n in range(4)]
    IN_WORDS = [0, 5, 2, 7, 4, 1, 6, 3]                  # bytes of a half as BP leaves them in words [AU99, 3.2.2]: 09A3 45EF, 812B CD67

    @function
    def F_words(X, Y, k0, k1, k2, k3):                   # F-function of a half in two words; z1 to z4 reach z7' z8' z5' z6' as z1' to z4',
        X, Y = X ^ k0, Y ^ k1                            # z5 to z8 also turned by a byte [AU99, 3.2.5: 8 KB, 8 references, 8 XORs, 1 rotation]
        B = P_WORDS[1][byte(Y, 3)] ^ P_WORDS[2][byte(X, 2)] ^ P_WORDS[3][byte(Y, 1)] ^ P_WORDS[0][byte(X, 0)]
        H = P_WORDS[0][byte(X, 3)] ^ P_WORDS[1][byte(Y, 2)] ^ P_WORDS[2][byte(X, 1)] ^ P_WORDS[3][byte(Y, 0)] ^ B
        L = rotr(B, 8) ^ H ^ k3
        H = H ^ k2
        return (S_WORDS[3][byte(H, 2)] ^ S_WORDS[2][byte(L, 3)] ^ S_WORDS[1][byte(H, 0)] ^ S_WORDS[0][byte(H, 3)],
                S_WORDS[3][byte(L, 0)] ^ S_WORDS[2][byte(H, 1)] ^ S_WORDS[1][byte(L, 2)] ^ S_WORDS[0][byte(L, 1)])

    def exchanged(X):                                    # bytes 12 of the first and third word, 23 of the others change places
        T, U = (X[0] ^ X[2]) & 0x00FFFF00, (X[1] ^ X[3]) & 0x0000FFFF
        return [X[0] ^ T, X[1] ^ U, X[2] ^ T, X[3] ^ U]

    def f_words(X, Y):                                   # f-function: z1 to z4 in a word, z7 z8 z5 z6 in another
        B = P_WORDS[1][byte(Y, 1)] ^ P_WORDS[2][byte(Y, 0)] ^ P_WORDS[3][byte(Y, 3)] ^ P_WORDS[0][byte(Y, 2)]
        H = P_WORDS[0][byte(X, 3)] ^ P_WORDS[1][byte(X, 2)] ^ P_WORDS[2][byte(X, 1)] ^ P_WORDS[3][byte(X, 0)] ^ B
        return H, rotr(B, 8) ^ H

    def transposed(a, b, c, d):                          # four words of four bytes
        a, c = a & 0xFFFF0000 | c >> 16, a << 16 | c & 0xFFFF
        b, d = b & 0xFFFF0000 | d >> 16, b << 16 | d & 0xFFFF
        a, b = a & 0xFF00FF00 | b >> 8 & 0x00FF00FF, a << 8 & 0xFF00FF00 | b & 0x00FF00FF
        c, d = c & 0xFF00FF00 | d >> 8 & 0x00FF00FF, c << 8 & 0xFF00FF00 | d & 0x00FF00FF
        return [a, b, c, d]

    @e2.key_schedule(form="word-tables")                 # what depends on the key only, in words
    def key_schedule_words(key):
        K = [key[n:n + 8] for n in range(0, len(key), 8)] + padding(key)
        Y = [(be_words(x)[0], rotl(be_words(x)[1], 16)) for x in K]
        U = be_words(v)[0], rotl(be_words(v)[1], 16)
        q = array(u32, 32, 2)
        for i in steps(-1, 8):
            L = []
            for n in range(4):
                Y[n], U = f_words(*Y[n]), f_words(*U)
                U = U[0] ^ Y[n][0], U[1] ^ Y[n][1]
                L.append(U)
            if i >= 0:
                for n in range(4):
                    q[4 * i + n] = vec(*L[n])
        k = array(u32, range(1, 13), 4)
        B = [[None] * 4 for i in range(4)]
        for p in range(2):                               # bytes of eight q are words of eight subkeys
            for w, places in enumerate([IN_WORDS[:4], IN_WORDS[4:], [8, 9, 10, 11], [14, 15, 12, 13]]):
                up = transposed(*(q[2 * j + p][0] for j in places))
                down = transposed(*(q[2 * j + p][1] for j in places))
                for i, word in enumerate([*up, down[2], down[3]]):
                    k[2 * i + p + 1, w] = word
            for w in range(4):                           # k13 to k16 in their own order
                down = transposed(*(q[2 * j + p][1] for j in range(4 * w, 4 * w + 4)))
                B[p][w], B[2 + p][w] = down[0], down[1]
        odd14, odd15 = vec(*B[1]) | 1, vec(*B[2]) | 1
        inverse = [vec(*[inverse_mod(b) for b in x]) for x in (odd15, odd14)]
        return k, inverse[0], inverse[1], vec(*B[0]), vec(*B[3]), odd14, odd15

    def in_words(order, A, B, C, inverses):              # a direction in words
        def crypt(keys, block):
            a, b, c, d = exchanged((be_words(block) ^ keys[A]) * keys[B])
            for r in order():
                k = keys[0][r]
                x, y = F_words(c, d, k[0], k[1], k[2], k[3])
                a, b, c, d = c, d, a ^ x, b ^ y
            return be_bytes(vec(*exchanged([c, d, a, b])) * keys[inverses] ^ keys[C])
        return crypt

    e2.encrypt(form="word-tables")(in_words(lambda: rounds(1, 13), 3, 5, 4, 1))
    e2.decrypt(form="word-tables")(in_words(lambda: rounds(12, 0, -1), 4, 6, 3, 2))
