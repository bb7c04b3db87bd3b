"""Where descriptions of ciphers of other shapes lie: `tests/data/ciphers` and the examples."""

from support.places import DATA, EXAMPLES

FILES = {path.stem: path for folder in (DATA / "ciphers", EXAMPLES) for path in folder.glob("*.py")}
"""Their files by name; known answers lie beside each."""
