"""SM4. Office of State Commercial Cryptography Administration of China: SMS4, 2006, translated by W. Diffie, G. Ledin [DL08]."""

from cipherassay.lang import *

sm4 = Cipher("SM4", key_bits=(128,), structure="generalised Feistel", source="[DL08]")
Sbox = table(u8, bytes.fromhex("""d690e9fecce13db716b614c228fb2c052b679a762abe04c3aa44132649860699
    9c4250f491ef987a33540b43edcfac62e4b31ca9c908e89580df94fa758f3fa6
    4707a7fcf37317ba83593c19e6854fa8686b81b27164da8bf8eb0f4b70569d35
    1e240e5e6358d1a225227c3b01217887d40046579fd327524c3602e7a0c4c89e
    eabf8ad240c738b5a3f7f2cef96115a1e0ae5da49b341a55ad933230f58cb1e3
    1df6e22e8266ca60c02923ab0d534e6fd5db3745defd8e2f03ff6a726d6c5b51
    8d1baf92bbddbc7f11d95c411f105ad80ac13188a5cd7bbd2d74d012b8e5b4b0
    8969974a0c96777e65b9f109c56ec68418f07dec3adc4d2079ee5f3ed7cb3948"""))
FK = (0xA3B1BAC6, 0x56AA3350, 0x677D9197, 0xB27022DC)
CK = table(u32, [int.from_bytes(bytes((4 * i + j) * 7 % 256 for j in range(4))) for i in range(32)])

def tau(A):                                          # the nonlinear substitution
    (B,) = be_words(vec(*[Sbox[a] for a in be_bytes(A)]))
    return B

def L(B):                                            # the linear substitution of the rounds
    return B ^ rotl(B, 2) ^ rotl(B, 10) ^ rotl(B, 18) ^ rotl(B, 24)

def L_key(B):                                        # the linear substitution of the key expansion
    return B ^ rotl(B, 13) ^ rotl(B, 23)

@sm4.key_schedule                                    # key expansion
def key_schedule(key):
    K = be_words(key) ^ vec(u32, *FK)
    rk = array(u32, 32)
    for i in rounds(32):
        rk[i] = K[0] ^ L_key(tau(K[1] ^ K[2] ^ K[3] ^ CK[i]))
        K = vec(K[1], K[2], K[3], rk[i])
    return rk

def F(X, rk):                                        # the round function
    return vec(X[1], X[2], X[3], X[0] ^ L(tau(X[1] ^ X[2] ^ X[3] ^ rk)))

@sm4.encrypt                                         # 32 rounds, then the reverse transformation
def encrypt(rk, plaintext):
    X = be_words(plaintext)
    for i in rounds(32):
        X = F(X, rk[i])
    return be_bytes(X[::-1])

@sm4.decrypt                                         # the same with the round keys in reverse order
def decrypt(rk, ciphertext):
    X = be_words(ciphertext)
    for i in rounds(31, -1, -1):
        X = F(X, rk[i])
    return be_bytes(X[::-1])
