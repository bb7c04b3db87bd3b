"""CHAM128. B. Koo, D. Roh, H. Kim, Y. Jung, D.-G. Lee, D. Kwon: CHAM: A Family of Lightweight Block Ciphers, ICISC 2017 [KRK17]."""

from cipherassay.ciphers._cham import add_cham
from cipherassay.lang import *

cham = Cipher("CHAM128", key_bits=(128, 256), structure="generalised Feistel", source="[KRK17]")
add_cham(cham, w=32, r={4: 80, 8: 96})                   # table of parameters, before the revision of 2019
