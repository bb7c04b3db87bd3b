"""FROG. D. Georgoudis, D. Leroux, B. S. Chaves: The FROG Encryption Algorithm, AES submission, June 1998 [GLC98]; byte 0 stands first."""

from cipherassay.lang import *

frog = Cipher("FROG", key_bits=(128, 192, 256), structure="other", source="[GLC98]")
SEED = table(u8, bytes.fromhex(                      # randomSeed: the first 251 entries of a million random digits, modulo 256
    "7115E812715C3F9D7CC1A6C57E38E5E59CA23611E659BD57A90051CC0846CBE1A03BA7BD649D540B07821D33202D87ED8B2111DD1832594A15CDBFF2543503E6"
    "E7760F0F6B041522039C39425DFFBF035587CDC8B9CC3425231844B9C90AE0EA0778C973D86739FF5D6E2AF9440E1D3780542598DD89270BFC329023B2BE2BA2"
    "67F96D08EB219E6FFCCDA9360A14DDC9B2E059B8B641C90A3C06BFAE4F621AA0FC333F4F06667BAD31036EE95A9EE4D2D1ED1E5F1CB3CCDC48A34DA6C062A519"
    "91A25BD429E66E066BBB7F2652621E43E150D0863CFA9957943C42A5481DA552D3CF00B1CE0D060E5CF83CC9845F23D776B179B41B53831A272E0C"))

def remainder(x, m):                                 # x modulo m, for x below 512 and m a counter
    for s in range(8, -1, -1):
        if m < 512 >> s:
            x = select(less(x, u32(m << s)), x, x - (m << s))
    return x

def permutation(stream, start, width):                      # makePermutation: of those left, take the one so many places after the last
    count = array(u32, 2 << width)                   # how many are left below each node of a tree; its leaves are the numbers
    for leaf in steps(1 << width, 2 << width):
        count[leaf] = u32(1)
    for node in steps((1 << width) - 1, 0, -1):
        count[node] = count[2 * node] + count[2 * node + 1]
    taken = array(u8, 1 << width)
    index = u32(0)
    for i in steps(1 << width):
        index = remainder(index + zext(stream[start + i], 32), (1 << width) - i)
        node, rest = word(width + 1)(1), index
        for _ in range(width):
            left = node << 1
            go_left = less(rest, count[left])
            rest = select(go_left, rest, rest - count[left])
            node = select(go_left, left, left + 1)
            count[node] = count[node] - 1
        taken[i] = zext(bits(node, 0, width), 8)
    return taken

def one_cycle(values):                               # the bomb permutation becomes one cycle, and no entry the byte after its own
    bomb = array(word(4), 16)
    for j in steps(16):
        bomb[j] = bits(values[j], 0, 4)
    used, index = u16(0), word(4)(0)
    for _ in steps(15):
        closed = equal(bomb[index], 0)               # the cycle is closed: it is joined to the one of the next byte not used
        k = index + 1
        for _ in range(15):
            k = k + zext(bits(used >> zext(k, 16), 0, 1), 4)
        last = k
        for _ in range(15):
            last = select(equal(bomb[last], k), last, bomb[last])
        bomb[index] = select(closed, k, bomb[index])
        bomb[last] = select(closed, word(4)(0), bomb[last])
        used = used | u16(1) << zext(index, 16)
        index = bomb[index]
    for j in steps(16):
        bomb[j] = select(equal(bomb[j], word(4)((j + 1) % 16)), word(4)((j + 2) % 16), bomb[j])
    return bomb

def internal(stream):                                # makeInternalKey: of each round 16 bytes to XOR, a substitution and the bombs
    X, S, P = array(u8, 8, 16), array(u8, 8, 256), array(word(4), 8, 16)
    for i in rounds(8):
        substitution = permutation(stream, 288 * i + 16, 8)
        bomb = one_cycle(permutation(stream, 288 * i + 272, 4))
        for j in steps(256):
            S[i, j] = substitution[j]
        for j in steps(16):
            X[i, j], P[i, j] = stream[288 * i + j], bomb[j]
    return X, S, P

def encrypt_block(X, S, P, block):                   # encryption: eight rounds, a byte after another
    B = array(u8, 16)
    B[:] = block
    for i in rounds(8):
        for j in range(16):
            new = S[i, B[j] ^ X[i, j]]
            B[j] = new
            B[(j + 1) % 16] = B[(j + 1) % 16] ^ new
            bomb = P[i, j]
            B[bomb] = B[bomb] ^ new
    return B[0:16]

def expanded(key):                                   # hashKey: the internal key of key and seed enciphers zeros in CBC mode
    n = len(key)
    bytes_, simple = array(u8, n), array(u8, 2304)
    bytes_[:] = key
    for i in steps(2304):
        simple[i] = SEED[i % 251] ^ bytes_[i % n]
    X, S, P = internal(simple)
    block, stream = vec(key[0] ^ n, *key[1:16]), array(u8, 2304)
    for i in steps(144):
        block = encrypt_block(X, S, P, block)
        stream[16 * i:16 * i + 16] = block
    return internal(stream)

@frog.key_schedule                                   # key setup, with the inverse substitutions for decryption
def key_schedule(key):
    X, S, P = expanded(key)
    SI = array(u8, 8, 256)
    for i in rounds(8):
        for j in steps(256):
            SI[i, S[i, j]] = u8(j)
    return X, S, SI, P

@frog.encrypt                                        # encryption
def encrypt(keys, plaintext):
    X, S, SI, P = keys
    return encrypt_block(X, S, P, plaintext)

@frog.decrypt                                        # decryption: each step undone, the last first
def decrypt(keys, ciphertext):
    X, S, SI, P = keys
    B = array(u8, 16)
    B[:] = ciphertext
    for i in rounds(7, -1, -1):
        for j in range(15, -1, -1):
            old, bomb = B[j], P[i, j]
            B[bomb] = B[bomb] ^ old
            B[(j + 1) % 16] = B[(j + 1) % 16] ^ old
            B[j] = SI[i, old] ^ X[i, j]
    return B[0:16]
