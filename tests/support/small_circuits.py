"""A circuit of a box of Serpent's that is kept nowhere."""

S3 = """circuit serpent.S3: 4 -> 4
t1 = x1 & x0
t2 = x3 & x1
t3 = t2 ^ x2
t4 = t3 | t1
t5 = x3 | x0
t6 = t4 ^ x3
y2 = t6 ^ x0
t8 = t5 ^ t1
t9 = t3 ^ x1
t10 = t9 | t8
y1 = t10 ^ t6
t12 = y1 & ~y2
y0 = t12 ^ t8
t14 = t8 & y2
y3 = t14 ^ t9
"""
