"""DFC. H. Gilbert et al.: Decorrelated Fast Cipher: An AES Candidate, June 1998 [GGH98]; bits are numbered from the left."""

from cipherassay.lang import *

dfc = Cipher("DFC", key_bits=(128, 192, 256), structure="Feistel", source="[GGH98]")
EES = bytes.fromhex(                                 # parameters: digits of e, in hexadecimal; RT, then KD and KC
    "B7E151628AED2A6ABF7158809CF4F3C762E7160F38B4DA56A784D9045190CFEF324E7738926CFBE5F4BF8D8D8C31D763DA06C80ABB1185EB4F7C7B5757F59584"
    "90CFD47D7C19BB42158D9554F7B46BCED55C4D79FD5F24D6613C31C3839A2DDF8A9A276BCFBFA1C877C56284DAB79CD4C2B3293D20E9E5EAF02AC60ACC93ED87"
    "4422A52ECB238FEEE5AB6ADD835FD1A0753D0A8F78E537D2B95BB79D8DCAEC642C1E9F23B829B5C2780BF38737DF8BB300D01334A0D0BD8645CBFA73A6160FFE"
    "393C48CBBBCA060F0FF8EC6D31BEB5CCEED7F2F0BB088017163BC60DF45A0ECB1BCD289B06CBBFEA21AD08E1847F3F7378D56CED94640D6EF0D3D37BE67008E1"
    "86D1BF275B9B241DEB64749A")
WORDS = [int.from_bytes(EES[i:i + 4], "big") for i in range(0, len(EES), 4)]
RT = table(u32, WORDS[:64])
KD, KC = WORDS[64] << 32 | WORDS[65], WORDS[66]
KA = [0] + [WORDS[i] << 32 | WORDS[i + 1] for i in (0, 2, 4)]            # parameters: KA_2 to KA_4, KB_2 to KB_4 and KS are the first words
KB = [0] + [WORDS[i] << 32 | WORDS[i + 1] for i in (6, 8, 10)]
KS = WORDS[12:20]

def product(a, b):                                   # the 128 bits of a b as two words, from products of halves
    a0, a1, b0, b1 = zext(bits(a, 0, 32), 64), a >> 32, zext(bits(b, 0, 32), 64), b >> 32
    p00, p01, p10, p11 = a0 * b0, a0 * b1, a1 * b0, a1 * b1
    middle = (p00 >> 32) + zext(bits(p01, 0, 32), 64) + zext(bits(p10, 0, 32), 64)
    return concat(bits(p00, 0, 32), bits(middle, 0, 32)), p11 + (p01 >> 32) + (p10 >> 32) + (middle >> 32)

def one_if(condition):                               # a carry or a borrow of 2^64
    return select(condition, u64(1), u64(0))

def affine(A, B, x):                                 # ((A x + B) mod 2^64 + 13) mod 2^64
    low, high = product(A, x)
    low = low + B
    high = high + one_if(less(low, B))
    low13, high13 = product(high, u64(13))           # 2^64 = -13, so the residue is low - 13 high
    y = low - low13
    more = 13 * (high13 + one_if(less(low, low13)))  # each borrow of 2^64 stands for 13
    z = y + more                                     # 2^64 and above, up to the modulus, lose 2^64, more loses the modulus
    return select(less(z, more), select(less(u64(12), z), z - 13, z), z)

def CP(y):                                           # the confusion permutation
    left, right = bits(y, 32, 32), bits(y, 0, 32)
    return concat(left ^ KC, right ^ RT[bits(left, 26, 6)]) + KD

@function
def RF(A, B, x):                                     # the round function RF_(A|B)
    return CP(affine(A, B, x))

def four_rounds(R0, R1, keys):                       # the key schedule's encryption of four rounds, the last two halves changed over
    for A, B in keys:
        R0, R1 = R1, R0 ^ RF(A, B, R1)
    return R1, R0

@dfc.key_schedule                                    # key schedule: encryptions of four rounds in a chain, with odd and even keys by turns
def key_schedule(K):
    PK = [*be_words(K), *[u32(x) for x in KS]][:8]
    OA, OB, EA, EB = [concat(PK[low - 1], PK[high - 1]) for high, low in ((1, 8), (5, 4), (2, 7), (6, 3))]
    odd, even = ([(A ^ a, B ^ b) for a, b in zip(KA, KB, strict=True)] for A, B in ((OA, OB), (EA, EB)))
    RK = array(u64, range(1, 9), 2)
    left, right = u64(0), u64(0)
    for i in rounds(1, 9, 2):
        left, right = four_rounds(left, right, odd)
        RK[i] = vec(left, right)
        left, right = four_rounds(left, right, even)
        RK[i + 1] = vec(left, right)
    return RK

@dfc.encrypt                                         # encryption: eight rounds, the last two halves changed over
def encrypt(RK, plaintext):
    R0, R1 = be_words(plaintext, 64)
    for i in rounds(1, 9):
        R0, R1 = R1, R0 ^ RF(RK[i, 0], RK[i, 1], R1)
    return be_bytes(R1, R0)

@dfc.decrypt                                         # the same with the keys in reverse order
def decrypt(RK, ciphertext):
    R0, R1 = be_words(ciphertext, 64)
    for i in rounds(8, 0, -1):
        R0, R1 = R1, R0 ^ RF(RK[i, 0], RK[i, 1], R1)
    return be_bytes(R1, R0)
