"""Where descriptions of ciphers of other shapes lie: `tests/ciphers` and the examples."""

from pathlib import Path

HERE = Path(__file__).parent
FILES = {
    path.stem: path for folder in (HERE / "ciphers", HERE.parent / "examples") for path in folder.glob("*.py")
}
"""Their files by name; known answers lie beside each."""
