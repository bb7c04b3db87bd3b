"""CHAM64. B. Koo, D. Roh, H. Kim, Y. Jung, D.-G. Lee, D. Kwon: CHAM: A Family of Lightweight Block Ciphers, ICISC 2017 [KRK17]."""

from cipherassay.ciphers._cham import add_cham
from cipherassay.lang import *

cham = Cipher("CHAM64", block_bits=64, key_bits=(128,), structure="generalised Feistel", source="[KRK17]")
add_cham(cham, w=16, r={8: 80})                          # table of parameters, before the revision of 2019
