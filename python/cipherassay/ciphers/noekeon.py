"""NOEKEON; direct mode, indirect mode as a variant. J. Daemen, M. Peeters, G. Van Assche, V. Rijmen: Nessie Proposal: NOEKEON, 2000 [DPVR00]."""

from cipherassay.lang import *

noekeon = Cipher("NOEKEON", key_bits=(128,), structure="SPN", source="[DPVR00]")
Nr = 16                                              # the number of rounds
F = GF(0x11B)
Roundct = table(u8, [F.mul(0x80, F.pow(2, i)) for i in range(Nr + 1)])   # the round constants

def Theta(k, a):                                     # the transformation Theta
    a0, a1, a2, a3 = a
    temp = a0 ^ a2
    temp = temp ^ rotr(temp, 8) ^ rotl(temp, 8)
    a1, a3 = a1 ^ temp, a3 ^ temp
    a0, a1, a2, a3 = vec(a0, a1, a2, a3) ^ k
    temp = a1 ^ a3
    temp = temp ^ rotr(temp, 8) ^ rotl(temp, 8)
    return vec(a0 ^ temp, a1, a2 ^ temp, a3)

def Pi1(a):                                          # the shift offsets
    return vec(a[0], rotl(a[1], 1), rotl(a[2], 5), rotl(a[3], 2))

def Pi2(a):                                          # the inverse of Pi1
    return vec(a[0], rotr(a[1], 1), rotr(a[2], 5), rotr(a[3], 2))

def Gamma(a):                                        # the transformation Gamma, an involution
    a0, a1, a2, a3 = a
    a1 = a1 ^ ~a3 & ~a2
    a0 = a0 ^ a2 & a1
    a0, a3 = a3, a0
    a2 = a2 ^ a0 ^ a1 ^ a3
    a1 = a1 ^ ~a3 & ~a2
    a0 = a0 ^ a2 & a1
    return vec(a0, a1, a2, a3)

@noekeon.key_schedule                                # direct mode: the working key is the cipher key
def key_schedule(key):
    return be_words(key)

@noekeon.key_schedule_decrypt                        # the inverse cipher: Theta(0, working key)
def key_schedule_decrypt(key):
    return Theta(vec(u32, 0, 0, 0, 0), be_words(key))

@noekeon.key_schedule(variant="indirect")            # indirect mode: the working key is the cipher key enciphered under key 0
def key_schedule_indirect(key):
    return be_words(encrypt(vec(u32, 0, 0, 0, 0), key))

@noekeon.key_schedule_decrypt(variant="indirect")    # indirect mode: Theta(0, working key)
def key_schedule_decrypt_indirect(key):
    return Theta(vec(u32, 0, 0, 0, 0), key_schedule_indirect(key))

@noekeon.encrypt                                     # the cipher
def encrypt(k, plaintext):
    a = be_words(plaintext)
    for i in rounds(Nr):
        a[0] = a[0] ^ zext(Roundct[i], 32)
        a = Pi2(Gamma(Pi1(Theta(k, a))))
    a[0] = a[0] ^ int(Roundct[Nr])
    return be_bytes(Theta(k, a))

@noekeon.decrypt                                     # the inverse cipher
def decrypt(k, ciphertext):
    a = be_words(ciphertext)
    for i in rounds(Nr, 0, -1):
        a = Theta(k, a)
        a[0] = a[0] ^ zext(Roundct[i], 32)
        a = Pi2(Gamma(Pi1(a)))
    a = Theta(k, a)
    a[0] = a[0] ^ int(Roundct[0])
    return be_bytes(a)
