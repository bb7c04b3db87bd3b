"""Camellia. M. Matsui, J. Nakajima, S. Moriai: A Description of the Camellia Encryption Algorithm, RFC 3713, April 2004 [RFC3713]."""

from cipherassay.ciphers._camellia_words import add_words
from cipherassay.lang import *

camellia = Cipher("Camellia", key_bits=(128, 192, 256), structure="Feistel", source="[RFC3713]")
Sigma = (0xA09E667F3BCC908B, 0xB67AE8584CAA73B2, 0xC6EF372FE94F82BE, 0x54FF53A5F1D36F1C, 0x10E527FADE682D1D, 0xB05688C2B3E6C1FD)   # section 2.2
SBOX1 = table(u8, bytes.fromhex(                     # section 2.4.1
    "70822CECB327C0E5E4855735EA0CAE4123EF6B934519A521ED0E4F4E1D6592BD86B8AF8F7CEB1FCE3E30DC5F5EC50B1AA6E139CAD5475D3DD9015AD651566C4D"
    "8B0D9A66FBCCB02D74122B20F0B18499DF4CCBC2347E76056DB7A931D11704D714583A61DE1B111C320F9C165318F222FE44CFB2C3B57A912408E8A860FC6950"
    "AAD0A07DA1896297545B1E95E0FF64D210C40048A3F775DB8A03E6DA093FDD94875C8302CD4A90337367F6F39D7FBFE2529BD826C837C63B81966F4B13BE632E"
    "E979A78C9F6EBC8E29F5F9B62FFDB4597898066AE74671BAD425AB4288A28DFA7207B955F8EEAC0A36492A683C38F1A44028D37BBBC943C115E3ADF477C7809E"))
SBOX2 = table(u8, [(y << 1 | y >> 7) & 0xFF for y in SBOX1.data])        # section 2.4.1: SBOX1[x] <<< 1
SBOX3 = table(u8, [(y << 7 | y >> 1) & 0xFF for y in SBOX1.data])        # section 2.4.1: SBOX1[x] <<< 7
SBOX4 = table(u8, [SBOX1.data[(x << 1 | x >> 7) & 0xFF] for x in range(256)])        # section 2.4.1: SBOX1[x <<< 1]
SBOXES = (SBOX1, SBOX2, SBOX3, SBOX4, SBOX2, SBOX3, SBOX4, SBOX1)         # section 2.4.1: of t1 to t8
P = xor_matrix(["134678", "124578", "123568", "234567", "12678", "23578", "34568", "14567"])   # section 2.4.1: y1 to y8 of t1 to t8
# section 2.2: the key and the rotation that each pair of subkeys is cut from, in the order of their use; kw1 kw2, k1 k2, ..., kw3 kw4
K_128 = [("KL", 0), ("KA", 0), ("KL", 15), ("KA", 15), ("KL", 45), ("KA", 45), ("KL", 60),
         ("KA", 60), ("KL", 94), ("KA", 94), ("KL", 111), ("KA", 111)]
KE_128 = [("KA", 30), ("KL", 77)]
K_256 = [("KL", 0), ("KB", 0), ("KR", 15), ("KA", 15), ("KB", 30), ("KL", 45), ("KA", 45), ("KR", 60), ("KB", 60), ("KL", 77),
         ("KR", 94), ("KA", 94), ("KL", 111), ("KB", 111)]
KE_256 = [("KR", 30), ("KL", 60), ("KA", 77)]

@function
def F(F_IN, KE):                                     # section 2.4.1
    t = be_bytes(F_IN ^ KE)
    y = P @ vec(*[box[b] for box, b in zip(SBOXES, t, strict=True)])
    return be_words(y, 64)[0]

def FL(FL_IN, KE):                                   # section 2.4.2
    x2, x1 = bits(FL_IN, 0, 32), bits(FL_IN, 32, 32)
    k2, k1 = bits(KE, 0, 32), bits(KE, 32, 32)
    x2 = x2 ^ rotl(x1 & k1, 1)
    x1 = x1 ^ (x2 | k2)
    return concat(x2, x1)

def FLINV(FLINV_IN, KE):                             # section 2.4.2
    y2, y1 = bits(FLINV_IN, 0, 32), bits(FLINV_IN, 32, 32)
    k2, k1 = bits(KE, 0, 32), bits(KE, 32, 32)
    y1 = y1 ^ (y2 | k2)
    y2 = y2 ^ rotl(y1 & k1, 1)
    return concat(y2, y1)

def rotated(K, n):                                   # section 2.2: K <<< n of 128 bits, as two 64-bit words
    high, low = (K[0], K[1]) if n < 64 else (K[1], K[0])
    n %= 64
    return [high << n | low >> 64 - n, low << n | high >> 64 - n] if n else [high, low]

def subkeys(K, F):                                   # section 2.2
    K = be_words(K, 64)
    KL = K[0:2]
    KR = vec(u64, 0, 0) if len(K) == 2 else vec(K[2], ~K[2]) if len(K) == 3 else K[2:4]
    D1, D2 = KL ^ KR
    D2 = D2 ^ F(D1, u64(Sigma[0]))
    D1 = D1 ^ F(D2, u64(Sigma[1]))
    D1, D2 = D1 ^ KL[0], D2 ^ KL[1]
    D2 = D2 ^ F(D1, u64(Sigma[2]))
    D1 = D1 ^ F(D2, u64(Sigma[3]))
    KA = vec(D1, D2)
    D1, D2 = KA ^ KR
    D2 = D2 ^ F(D1, u64(Sigma[4]))
    D1 = D1 ^ F(D2, u64(Sigma[5]))
    of = {"KL": KL, "KR": KR, "KA": KA, "KB": vec(D1, D2)}
    cut, cut_e = (K_128, KE_128) if len(K) == 2 else (K_256, KE_256)
    words = [word for name, n in cut for word in rotated(of[name], n)]
    if len(K) == 2:                                  # of KA <<< 45 only k9, of KL <<< 60 only k10
        words = words[:11] + words[13:]
    k = array(u64, range(1, len(words) - 3))
    k[1:len(words) - 3] = words[2:-2]
    return vec(*words[:2], *words[-2:]), k, vec(*[word for name, n in cut_e for word in rotated(of[name], n)])

def encryption(keys, M, F, FL, FLINV):               # sections 2.3.1, 2.3.2
    kw, k, ke = keys
    r = len(k)
    D1, D2 = be_words(M, 64)
    D1, D2 = D1 ^ kw[0], D2 ^ kw[1]
    for i in rounds(1, r + 1):
        if i % 2 == 1:
            D2 = D2 ^ F(D1, k[i])
        else:
            D1 = D1 ^ F(D2, k[i])
        if i % 6 == 0 and i < r:
            D1, D2 = FL(D1, ke[i // 3 - 2]), FLINV(D2, ke[i // 3 - 1])
    return be_bytes(D2 ^ kw[2], D1 ^ kw[3])

def decryption(keys, C, F, FL, FLINV):               # section 2.3.3: the same with the subkeys in reverse order
    kw, k, ke = keys
    r = len(k)
    D1, D2 = be_words(C, 64)
    D1, D2 = D1 ^ kw[2], D2 ^ kw[3]
    for i in rounds(r, 0, -1):
        if i % 2 == 0:
            D2 = D2 ^ F(D1, k[i])
        else:
            D1 = D1 ^ F(D2, k[i])
        if i % 6 == 1 and i > 1:
            D1, D2 = FL(D1, ke[i // 6 * 2 - 1]), FLINV(D2, ke[i // 6 * 2 - 2])
    return be_bytes(D2 ^ kw[0], D1 ^ kw[1])

@camellia.key_schedule                               # section 2.2
def key_schedule(K):
    return subkeys(K, F)

@camellia.encrypt                                    # sections 2.3.1, 2.3.2
def encrypt(keys, M):
    return encryption(keys, M, F, FL, FLINV)

@camellia.decrypt                                    # section 2.3.3
def decrypt(keys, C):
    return decryption(keys, C, F, FL, FLINV)

add_words(camellia, P, SBOXES, subkeys, encryption, decryption)   # form "words"
