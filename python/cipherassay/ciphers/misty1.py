"""MISTY1 with eight rounds. M. Matsui: New Block Encryption Algorithm MISTY, FSE 1997 [M97]; H. Ohta, M. Matsui: RFC 2994, November 2000."""

from cipherassay.lang import *

misty1 = Cipher("MISTY1", block_bits=64, key_bits=(128,), structure="Feistel", source="[M97]")
S7 = table(word(7), bytes.fromhex(                       # RFC 2994: S-boxes, as printed
    "1B32335A3B1017545B1A72736B2C66491F24136C372E3F4A5D0F405625511C040B46200D7B3544422B1E41144B79156F0E550936740C6753280A7E3802076029"
    "1912652F303908685F782A4C6445753D594803577C4F623C1D215E276A704D3A016D6E6318772305267600312D7A7F61502211064716524E713E6943345C587D"))
S9_DIGITS = (                                        # RFC 2994: S-boxes, as printed, three digits each
    "1C30CB15319F1E30E90FB0351810B91171EB13300902D0D30C714A03707E0EB1641931D80A311E05502C01D1A216311814B1521D200F02B03013A0E5"
    "11113818E0630E30C81F401B00109D0F81A016D1F301C14607D0D10821EA18312D0F419E1D30DD1E21281E00EC05909101112F0260DC0B018C10F1F7"
    "0E716C0B60F90D815110114C1030B815412B1AE01707100C04705807F1A413412908415D19D1B21A304807C0511CA02313D1A716503B0420DA1920CE"
    "0C106B09F1F112C1840FA1961E116917D03118010A0941DA18613E11C0601751CF06711906506809915000800717C0B70240190DE1270DB0E41A9052"
    "10909019C1C10281B313516A1760DF1E51880C516E1DE1B10C31DF0360EE1EE0F009304909A1B606908112500B05E0B41491C717403E13B1B708E1C6"
    "0AE0100951EF04E0F21FD0850FD0F60A016F08308A15609B13C1071670981D01E90031FE0BD1220890D218F01203306A1420ED17011B0E214F158131"
    "14705D1131CD0791611A517909E1B40CC02213201A0E80041871ED1970391BF1D702718B0C609C0D014E06C0341F206E0CA0250BA1910FE01310602F"
    "1AD1721DB0C010B1D60F51EC10D0761141AB07510C1E415905411F04B0C41BE0F70290A400E1F007704D17A08608B0B31710BF10E10409715B160168"
    "0D70BB0661CE0FC0921C506F01604A0A11390AF0F119000A1AA14317B05618D1660D41FB14D19419A0871F81230A71B814103C1F914002A15511A1A1"
    "1980D51261AF06112E1571DC07218A0AA0961150EF04507B08D14505305F1780B202E0201D503F1C91E71AC0440380140B116B0AB0B505A1821C81D4"
    "0181770640CF06D10019913015A0051201BB1BD0E004F0D613F1C412A0150060FF19B0A604308805015F1E812107317E0BC0C20C91731891F50741CC"
    "1E61A819501F04100D1BA03203D1D10800A80571B91621480D910506207A0211FF1121081C00A911D1B01A60CD0F305C10205B1D91441F60AD0A503A"
    "1CB13617F0460E101E1DD0E61371FA18508C08F0401B50BE0780000AC11015E1240021BC0A20EA0701FC11615C04C1C2")
S9 = table(word(9), [int(S9_DIGITS[i:i + 3], 16) for i in range(0, 1536, 3)])

@function
def FI(x, KI):                                       # RFC 2994: FI
    d9, d7 = bits(x, 7, 9), bits(x, 0, 7)
    d9 = S9[d9] ^ zext(d7, 9)
    d7 = S7[d7] ^ bits(d9, 0, 7)
    d7, d9 = d7 ^ bits(KI, 9, 7), d9 ^ bits(KI, 0, 9)
    d9 = S9[d9] ^ zext(d7, 9)
    return concat(d9, d7)

def FO(x, i, keys):                                  # RFC 2994: FO, with KO_i and KI_i of its own counting from 0
    K, Kp = keys
    L, R = bits(x, 16, 16), bits(x, 0, 16)
    for KO, KI in ((K[i], Kp[i + 5]), (K[i + 2], Kp[i + 1]), (K[i + 7], Kp[i + 3])):
        L, R = R, FI(L ^ KO, KI) ^ R
    return concat(R, L ^ K[i + 4])

def halves(D):                                       # RFC 2994: the left and the right half
    return bits(D, 16, 16), bits(D, 0, 16)

def FL(D0, D1, i, keys):                             # RFC 2994: FL of both halves, the functions 2 i and 2 i + 1
    K, Kp = keys
    (a, b), (c, d) = halves(D0), halves(D1)
    b = b ^ a & K[i]
    a = a ^ (b | Kp[i + 6])
    d = d ^ c & Kp[i + 2]
    c = c ^ (d | K[i + 4])
    return concat(b, a), concat(d, c)

def FLINV(D0, D1, i, keys):                          # RFC 2994: FLINV
    K, Kp = keys
    (a, b), (c, d) = halves(D0), halves(D1)
    a = a ^ (b | Kp[i + 6])
    b = b ^ a & K[i]
    c = c ^ (d | K[i + 4])
    d = d ^ c & Kp[i + 2]
    return concat(b, a), concat(d, c)

@misty1.key_schedule                                 # RFC 2994, key scheduling: K_1 to K_8 and K'_1 to K'_8, here from 0, and once more from 8
def key_schedule(key):
    K, Kp = array(u16, 16), array(u16, 16)
    K[0:8], K[8:16] = be_words(key, 16), be_words(key, 16)
    for i in rounds(8):
        Kp[i] = FI(K[i], K[i + 1])
    Kp[8:16] = Kp[0:8]
    return K, Kp

@misty1.encrypt                                      # RFC 2994, data randomizing: encryption
def encrypt(keys, plaintext):
    D0, D1 = be_words(plaintext)
    for i in rounds(4):
        D0, D1 = FL(D0, D1, i, keys)
        D1 = D1 ^ FO(D0, 2 * i, keys)
        D0 = D0 ^ FO(D1, 2 * i + 1, keys)
    D0, D1 = FL(D0, D1, 4, keys)
    return be_bytes(D1, D0)

@misty1.decrypt                                      # RFC 2994, data randomizing: decryption
def decrypt(keys, ciphertext):
    D1, D0 = be_words(ciphertext)
    D0, D1 = FLINV(D0, D1, 4, keys)
    for i in rounds(3, -1, -1):
        D0 = D0 ^ FO(D1, 2 * i + 1, keys)
        D1 = D1 ^ FO(D0, 2 * i, keys)
        D0, D1 = FLINV(D0, D1, i, keys)
    return be_bytes(D0, D1)
