"""ARIA with 128-bit keys. J. Lee et al.: A Description of the ARIA Encryption Algorithm, RFC 5794, 2010 [RFC5794]."""

from cipherassay.lang import *

aria = Cipher("ARIA", key_bits=(128,), structure="SPN", source="[RFC5794]")
SB1 = table(u8, bytes.fromhex("""637c777bf26b6fc53001672bfed7ab76ca82c97dfa5947f0add4a2af9ca472c0
    b7fd9326363ff7cc34a5e5f171d8311504c723c31896059a071280e2eb27b275
    09832c1a1b6e5aa0523bd6b329e32f8453d100ed20fcb15b6acbbe394a4c58cf
    d0efaafb434d338545f9027f503c9fa851a3408f929d38f5bcb6da2110fff3d2
    cd0c13ec5f974417c4a77e3d645d197360814fdc222a908846eeb814de5e0bdb
    e0323a0a4906245cc2d3ac629195e479e7c8376d8dd54ea96c56f4ea657aae08
    ba78252e1ca6b4c6e8dd741f4bbd8b8a703eb5664803f60e613557b986c11d9e
    e1f8981169d98e949b1e87e9ce5528df8ca1890dbfe6426841992d0fb054bb16"""))
SB2 = table(u8, bytes.fromhex("""e24e54fc94c24acc620d6a463c4d8bd15efa64cbb497be2bbc772e03d31959c1
    1d06416b55f09969ea9c18ae63dfe7bb007366fb964c85e43a0945aa0fee10eb
    2d7ff429accfad918d78c895f92fcecd087a88385c832a2847dbb8c793a41253
    ff870e3136215848018e377432cae9b1b7ab0cd7c4564226079860d9b6b91140
    ec208cbda0c984044923f14f501f13dcd8c09e57e3c37b653b028f3ee82592e5
    15ddfd17a9bfd49a7ec53967fe769d43a7e1d0f568f21b347005a38ad57986a8
    30c6514b1ea627f635d26e2416825fdae675a2ef2cb21c9f5d6f800a72449b6c
    900b5b337d5a52f361a1f7b0d63f7c6ded14e0a53d22b3f889de711aafbab581"""))
SB3, SB4 = SB1.inverse, SB2.inverse                  # section 2.4.2
C = [list(bytes.fromhex(x)) for x in (               # section 2.2
    "517cc1b727220a94fe13abe8fa9a6ee0", "6db14acc9e21c820ff28b1d5ef5de2b0", "db92371d2126e9700324977504e8c90e")]
DIFFUSION = [[int(x) for x in row.split()] for row in """3 4 6 8 9 13 14
    2 5 7 8 9 12 15
    1 4 6 10 11 12 15
    0 5 7 10 11 13 14
    0 2 5 8 11 14 15
    1 3 4 9 10 14 15
    0 2 7 9 10 12 13
    1 3 6 8 11 12 13
    0 1 4 7 10 13 15
    0 1 5 6 11 12 14
    2 3 5 6 8 13 15
    2 3 4 7 9 12 14
    1 2 6 7 9 11 12
    0 3 6 7 8 10 13
    0 3 4 5 9 11 14
    1 2 4 5 8 10 15""".splitlines()]

def SL1(x):                                          # section 2.4.2: the substitution layers
    return vec(*[(SB1, SB2, SB3, SB4)[i % 4][x[i]] for i in range(16)])

def SL2(x):
    return vec(*[(SB3, SB4, SB1, SB2)[i % 4][x[i]] for i in range(16)])

def A(x):                                            # section 2.4.3: the diffusion layer
    y = []
    for row in DIFFUSION:
        total = x[row[0]]
        for i in row[1:]:
            total = total ^ x[i]
        y.append(total)
    return vec(*y)

def FO(D, RK):                                       # section 2.4.1: round functions
    return A(SL1(D ^ RK))

def FE(D, RK):
    return A(SL2(D ^ RK))

def right(x, n):                                     # a rotation of 128 bits, most significant byte first
    words, part = n // 8, n % 8
    turned = x.rotate(-words)
    return vec(*[turned[i] >> part | turned[i - 1] << 8 - part for i in range(16)])

def expanded(key):                                   # section 2.2
    W0 = key
    W1 = FO(W0, vec(u8, *C[0]))
    W2 = FE(W1, vec(u8, *C[1])) ^ W0
    W3 = FO(W2, vec(u8, *C[2])) ^ W1
    W = (W0, W1, W2, W3)
    ek = array(u8, 13, 16)
    for i in range(13):
        n = (19, 31, 128 - 61, 128 - 31)[i // 4]
        ek[i] = W[i % 4] ^ right(W[(i + 1) % 4], n)
    return ek

@aria.key_schedule
def key_schedule(key):
    return expanded(key)

@aria.key_schedule_decrypt                           # section 2.3
def key_schedule_decrypt(key):
    ek = expanded(key)
    dk = array(u8, 13, 16)
    dk[0], dk[12] = ek[12], ek[0]
    for i in rounds(1, 12):
        dk[i] = A(ek[12 - i])
    return dk

def process(K, P):                                   # section 2.3.1
    for i in rounds(11):
        P = FO(P, K[i]) if i % 2 == 0 else FE(P, K[i])
    return SL2(P ^ K[11]) ^ K[12]

@aria.encrypt
def encrypt(ek, plaintext):
    return process(ek, plaintext)

@aria.decrypt
def decrypt(dk, ciphertext):
    return process(dk, ciphertext)
