"""Parts of a published paper's file."""

HEAD = """schema = 1
[citation]
authors = ["A. Author"]
title = "Title"
venue = "Venue"
year = 2000

"""
TABLE = """[[table]]
id = "one"
title = "One"
where = "Table 1"
defaults = { level = "processor", metric = "cycles", unit = "cycles", obtained = "measured" }
columns = [[{ operation = "encrypt" }, { operation = "decrypt" }]]
rows = [
  { cipher = "RC6", values = [243, 226] },
  { cipher = "MARS", values = [320, "-"] },
]
"""
RELATION = """
[[relation]]
id = "equal"
says = "both are equal"
expression = "a == b"
bind = { a = { operation = "encrypt" }, b = { operation = "decrypt" } }
per = ["cipher"]
instances = 1
"""
