"""Threefish-1024. N. Ferguson et al.: The Skein Hash Function Family, version 1.3, October 2010 [FLSWBKCW10]"""

from cipherassay.ciphers._threefish import add_threefish
from cipherassay.lang import *

threefish = Cipher("Threefish-1024", slug="threefish1024", block_bits=1024, key_bits=(1024,), tweak_bits=128, structure="ARX", source="[FLSWBKCW10]")
R = [(24, 13, 8, 47, 8, 17, 22, 37), (38, 19, 10, 55, 49, 18, 23, 52),   # section 3.3.1: rotation constants
     (33, 4, 51, 13, 34, 41, 59, 17), (5, 20, 48, 41, 47, 28, 16, 25),
     (41, 9, 37, 31, 12, 47, 44, 30), (16, 34, 56, 51, 4, 53, 42, 41),
     (31, 44, 47, 46, 19, 42, 44, 25), (9, 48, 35, 52, 23, 31, 37, 20)]
add_threefish(threefish, R, pi=[0, 9, 2, 13, 6, 11, 4, 15, 10, 7, 12, 3, 14, 5, 8, 1], Nr=80)      # section 3.3: permutation of words, rounds
