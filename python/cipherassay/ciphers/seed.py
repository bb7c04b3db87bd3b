"""SEED. H.J. Lee et al.: The SEED Encryption Algorithm, RFC 4269, December 2005 [RFC4269]; words are big-endian, byte 0 of a word the lowest."""

from cipherassay.lang import *

seed = Cipher("SEED", key_bits=(128,), structure="Feistel", source="[RFC4269]")
S0 = table(u8, bytes.fromhex(                        # appendix A: the S-boxes
    "A985D6D3541DAC255D43181E51FCCA632844209DE0E2C817A58F037BBB13D2EE708C3FA832DDF674EC950B575C5BBD01241C739810CCF2D92CE772839BD186C9"
    "6050A3EB0DB69E4FB75AC678A612AFD561C3B441527D8D081F9900190453F7E1FD762F27B08B0EABA26E934D697C090ABFEFF3C58714FE64DE2E4B1A06216B66"
    "02F5928A0CB37ED07A4796E52680ADDFA13037AE36152238F4A7454C81E9849735CBCE3C7111C78975FBDAF8945982C4FF493967C0CFD7B80F8E4223916CDBA4"
    "34F148C26F3D2D40BE3EBCC1AABA4E553BDC687F9CD84A5677A0ED46B52B65FAE3B9B19F5EF9E6B231EA6D5FE4F0CD88163A58D462290733E81B0579906A2A9A"))
S1 = table(u8, bytes.fromhex(
    "38E82DA6CFDEB3B8AF6055C7446F6B5BC36233B529A0E2A7D39111061CBC364BEF886CA817C416F4C245E1D63F3D8E98284EF63EA5F90DDFD82B667A272FF172"
    "42D441C07367AC8BF7AD801FCA2CAA34D20BEEE95D9418F857AE08C513CD86B9FF7DC131F58A6AB1D120D7022204687107DB9D9961BEE659DD5190DC9AA3ABD0"
    "810F471AE3EC8DBF967B5CA2A163234DC89E9C3A0C2EBA6E9F5AF292F34978CC15FB70757F351003646DC674D5B4EA097619FE4012E0BD05FA01F02A5EA95643"
    "8514899BB0E5487997FC1E82218C1B5F7754B21D254F0046ED5852EB7EDAC9FD3095653CB6E4BB7C0E5039263284699337E724A4CB530A87D94C838FCE3B4AB7"))
m = (0xFC, 0xF3, 0xCF, 0x3F)                         # section 2.2: m0 to m3
KC = table(u32, [(0x9E3779B9 << i | 0x9E3779B9 >> 32 - i) % 2**32 for i in range(16)])   # section 2.3: KC_i = KC_0 <<< i

@function
def G(X):                                            # section 2.2
    Y = [box[byte(X, i)] for i, box in enumerate((S0, S1, S0, S1))]
    Z = [vec(*[Y[i] & m[(i + j) % 4] for i in range(4)]) for j in range(4)]
    return concat(*[z[0] ^ z[1] ^ z[2] ^ z[3] for z in Z])

def F(R0, R1, K0, K1):                               # section 2.1
    T = G((R0 ^ K0) ^ (R1 ^ K1))
    U = G(T + (R0 ^ K0))
    V = G(U + T)
    return V + U, V

@seed.key_schedule                                   # section 2.3
def key_schedule(key):
    A, B, C, D = be_words(key)
    K = array(u32, range(1, 17), 2)
    for i in rounds(1, 17):
        K[i] = vec(G(A + C - KC[i - 1]), G(B - D + KC[i - 1]))
        if i % 2 == 1:
            A, B = A >> 8 | B << 24, B >> 8 | A << 24                    # A || B >>> 8
        else:
            C, D = C << 8 | D >> 24, D << 8 | C >> 24                    # C || D <<< 8
    return K

@seed.encrypt                                        # section 2: 16 rounds, the last without the exchange
def encrypt(K, plaintext):
    L0, L1, R0, R1 = be_words(plaintext)
    for i in rounds(1, 17):
        F0, F1 = F(R0, R1, K[i, 0], K[i, 1])
        L0, L1, R0, R1 = R0, R1, L0 ^ F0, L1 ^ F1
    return be_bytes(R0, R1, L0, L1)

@seed.decrypt                                        # section 2.4: the round keys in reverse order
def decrypt(K, ciphertext):
    L0, L1, R0, R1 = be_words(ciphertext)
    for i in rounds(16, 0, -1):
        F0, F1 = F(R0, R1, K[i, 0], K[i, 1])
        L0, L1, R0, R1 = R0, R1, L0 ^ F0, L1 ^ F1
    return be_bytes(R0, R1, L0, L1)
