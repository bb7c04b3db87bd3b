"""SM4. GB/T 32907-2016: Information security technology, SM4 block cipher algorithm [GBT32907]; words are big-endian."""

from cipherassay.lang import *

sm4 = Cipher("SM4", key_bits=(128,), structure="generalised Feistel", source="[GBT32907]", aliases=("sms4",))
Sbox = table(u8, bytes.fromhex(                      # section 6.2: the S-box
    "D690E9FECCE13DB716B614C228FB2C052B679A762ABE04C3AA441326498606999C4250F491EF987A33540B43EDCFAC62E4B31CA9C908E89580DF94FA758F3FA6"
    "4707A7FCF37317BA83593C19E6854FA8686B81B27164DA8BF8EB0F4B70569D351E240E5E6358D1A225227C3B01217887D40046579FD327524C3602E7A0C4C89E"
    "EABF8AD240C738B5A3F7F2CEF96115A1E0AE5DA49B341A55AD933230F58CB1E31DF6E22E8266CA60C02923AB0D534E6FD5DB3745DEFD8E2F03FF6A726D6C5B51"
    "8D1BAF92BBDDBC7F11D95C411F105AD80AC13188A5CD7BBD2D74D012B8E5B4B08969974A0C96777E65B9F109C56EC68418F07DEC3ADC4D2079EE5F3ED7CB3948"))
FK = (0xA3B1BAC6, 0x56AA3350, 0x677D9197, 0xB27022DC)                    # section 7.3: system parameter
CK = table(u32, [int.from_bytes(bytes((4 * i + j) * 7 % 256 for j in range(4)), "big") for i in range(32)])   # section 7.3: fixed parameter

def tau(A):                                          # section 6.2: the S-box on each byte
    return concat(*[Sbox[byte(A, j)] for j in range(4)])

def L(B):                                            # section 6.2: the linear transformation
    return B ^ rotl(B, 2) ^ rotl(B, 10) ^ rotl(B, 18) ^ rotl(B, 24)

def L_prime(B):                                      # section 7.3: that of the key expansion
    return B ^ rotl(B, 13) ^ rotl(B, 23)

def F(X0, X1, X2, X3, rk):                           # section 6.1: the round function, with T = L(tau(.))
    return X0 ^ L(tau(X1 ^ X2 ^ X3 ^ rk))

@sm4.key_schedule                                    # section 7.3
def key_schedule(MK):
    K0, K1, K2, K3 = be_words(MK) ^ FK
    rk = array(u32, 32)
    for i in rounds(32):
        rk[i] = K0 ^ L_prime(tau(K1 ^ K2 ^ K3 ^ CK[i]))
        K0, K1, K2, K3 = K1, K2, K3, rk[i]
    return rk

@sm4.encrypt                                         # section 7.1: 32 rounds, then the words in reverse order
def encrypt(rk, plaintext):
    X0, X1, X2, X3 = be_words(plaintext)
    for i in rounds(32):
        X0, X1, X2, X3 = X1, X2, X3, F(X0, X1, X2, X3, rk[i])
    return be_bytes(X3, X2, X1, X0)

@sm4.decrypt                                         # section 7.2: the same with the round keys in reverse order
def decrypt(rk, ciphertext):
    X0, X1, X2, X3 = be_words(ciphertext)
    for i in rounds(31, -1, -1):
        X0, X1, X2, X3 = X1, X2, X3, F(X0, X1, X2, X3, rk[i])
    return be_bytes(X3, X2, X1, X0)
