"""Threefish-512. N. Ferguson et al.: The Skein Hash Function Family, version 1.3, October 2010 [FLSWBKCW10]"""

from cipherassay.ciphers._threefish import add_threefish
from cipherassay.lang import *

threefish = Cipher("Threefish-512", slug="threefish512", block_bits=512, key_bits=(512,), tweak_bits=128, structure="ARX", source="[FLSWBKCW10]",
                   aliases=("threefish",))
R = [(46, 36, 19, 37), (33, 27, 14, 42), (17, 49, 36, 39), (44, 9, 54, 56),          # section 3.3.1: rotation constants
     (39, 30, 34, 24), (13, 50, 10, 17), (25, 29, 39, 43), (8, 35, 56, 22)]
add_threefish(threefish, R, pi=[2, 1, 4, 7, 6, 5, 0, 3], Nr=72)          # section 3.3: permutation of words, rounds
