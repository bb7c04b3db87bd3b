"""S-boxes by name, or from a user's file.

A name is ``FAMILY.BOX`` or ``FAMILY.BOX.inverse``. Boxes of ciphers come from the cipher files themselves;
other well-known ones from ``boxes/*.toml`` (``title``, ``source``, ``[boxes]`` with the values at inputs 0,
1, …).
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from cipherassay import ir
from cipherassay.circuits.box_files import read_values
from cipherassay.errors import DescriptionError, Place, UsageError, nearest

if TYPE_CHECKING:
    from cipherassay.ciphers import Cipher

FOLDER = Path(__file__).parent / "boxes"
MOST_INPUTS, LEAST_INPUTS = 8, 3


@dataclass(frozen=True)
class Box:
    """An S-box.

    Parameters
    ----------
    name : str
        ``CIPHER.S3``, ``CIPHER.S3.inverse``; the file's name without ending for a user's box.
    outputs : int
        Output bits, 1 to 8.
    data : tuple of int
        The value at each input value, ``2 ** inputs`` of them.
    source : str
        Where the values are from.
    """

    name: str
    outputs: int
    data: tuple[int, ...]
    source: str = ""

    @property
    def inputs(self) -> int:
        """Input bits."""
        return len(self.data).bit_length() - 1

    @property
    def family(self) -> str:
        """The cipher's name; ``own`` for a box without one."""
        return self.name.split(".")[0] if "." in self.name else "own"

    @property
    def variant(self) -> str:
        """The box within its cipher, as rows and files have it: ``S3``, ``I3``, ``S.inverse``, ``q0.t0``."""
        rest = self.name.partition(".")[2] or self.name
        numbered = re.fullmatch(r"S(\d+)\.inverse", rest)
        return f"I{numbered[1]}" if numbered else rest

    @property
    def is_permutation(self) -> bool:
        """Whether it has an inverse."""
        return self.inputs == self.outputs and len(set(self.data)) == len(self.data)

    def inverse(self) -> Box:
        """Return the inverse of a permutation, named after it."""
        data = [0] * len(self.data)
        for value, image in enumerate(self.data):
            data[image] = value
        name = self.name.removesuffix(".inverse")
        name = name if name != self.name else f"{name}.inverse"
        return Box(name, self.outputs, tuple(data), self.source)


def checked(name: str, outputs: int | None, data: Sequence[int], source: str, place: Place) -> Box:
    """Return a box of these values; without `outputs`, as many output bits as the largest value needs.

    Raises
    ------
    DescriptionError
        ``C101``: not a power of two of values, or not 3 to 8 input bits; ``C102``: a value that is too large.
    """
    count = len(data)
    if count & (count - 1) or not 1 << LEAST_INPUTS <= count <= 1 << MOST_INPUTS:
        raise DescriptionError(
            "C101",
            f"{count} values are no truth table",
            places=[place],
            notes=["a box of n input bits has 2^n values; n is 3 to 8", *_shortfall(count)],
            help="give the value at each input 0, 1, 2, … once, separated by spaces or commas",
        )
    width = outputs if outputs is not None else min(MOST_INPUTS, max(1, max(data).bit_length()))
    for value, image in enumerate(data):
        if image >> width:
            raise DescriptionError(
                "C102",
                f"the value {image} at input {value} does not fit in {width} output bits",
                places=[place],
                notes=[f"the largest that fits is {(1 << width) - 1}"],
                help="mend the value"
                + (", or state the output bits in a line `outputs N`" if width < 8 else ""),
            )
    return Box(name, width, tuple(data), source)


def _shortfall(count: int) -> list[str]:
    sizes = [1 << n for n in range(LEAST_INPUTS, MOST_INPUTS + 1)]
    larger = next((size for size in sizes if size > count), None)
    if larger is None:
        return [f"{count - sizes[-1]} more than the largest box has"]
    return [f"{larger - count} fewer than {larger}"]


def names() -> list[str]:
    """Return the name of every known box that is not the inverse of another, in order."""
    return sorted(name for family in families() for name in _family(family))


def every_name() -> list[str]:
    """Return the names of all known boxes and of the inverses of those that have one and differ from it."""
    found = []
    for name in names():
        box = find(name)
        found.append(name)
        if box.is_permutation and box.inverse().data != box.data:
            found.append(f"{name}.inverse")
    return found


def find(name_or_file: str) -> Box:
    """Return a box by its name (``CIPHER.S3``, ``CIPHER.I3`` for ``CIPHER.S3.inverse``) or from a file.

    A file is a truth table, or that of a cipher: ``own.py``, where it has several ``own.py.S3``. A box of a
    file that is also a known one is given as that: what is published and kept of it counts.

    Raises
    ------
    UsageError
        ``C120``: no such box, or file; ``C126``: it has no inverse; ``C130``: a cipher file has none, or
        several; ``C131``: so a cipher's name; ``C140``: a cipher's name that has none.
    DescriptionError
        ``C101``, ``C102``, ``C121``, ``C122``, ``C128``: the file holds no truth table.
    """
    path = Path(name_or_file)
    if path.is_file() and path.suffix != ".py":
        outputs, values = read_values(path)
        return _as_known(checked(path.stem, outputs, values, "", Place(str(path))))
    if (in_cipher := re.fullmatch(r"(.*\.py)(?:\.(.+))?", name_or_file)) and Path(in_cipher[1]).is_file():
        return _as_known(_of_file_of_cipher(*in_cipher.groups(default="")))
    family, _, rest = name_or_file.partition(".")
    rest = re.sub(r"^I(\d+)$", r"S\1.inverse", rest)
    inverse = rest.endswith(".inverse")
    known = _family(family.lower())
    base = known.get(f"{family.lower()}.{rest.removesuffix('.inverse')}")
    if base is None and not rest and (cipher := _cipher(family)) is not None:
        return _only(name_or_file, of_cipher(cipher), cipher)
    if base is None:
        raise UsageError(
            "C120",
            f"unknown S-box `{name_or_file}`",
            notes=["it is no file either"],
            help=nearest(name_or_file, names()) + "; `.inverse` after a name is its inverse",
        )
    return _inverted(base) if inverse else base


def _cipher(name: str) -> Cipher | None:
    from cipherassay import ciphers

    return ciphers.load(known) if (known := ciphers.find(name)) else None


def _only(name: str, found: Sequence[Box], cipher: Cipher) -> Box:
    """Return a cipher's only S-box, of which the name is said alone."""
    from cipherassay.circuits.nonlinear import no_box

    if not found:
        raise no_box(cipher, "C140")
    if len(found) > 1:
        every = ", ".join(box.name for box in found)
        raise UsageError("C131", f"`{name}` has {len(found)} S-boxes", help=f"choose one: {every}")
    return found[0]


def _inverted(base: Box) -> Box:
    if not base.is_permutation:
        raise UsageError("C126", f"`{base.name}` has no inverse", notes=["it is no permutation"])
    return base.inverse()


def _of_file_of_cipher(file: str, rest: str) -> Box:
    """Return the box of a user's cipher that `rest` names; an empty one names the only box."""
    from cipherassay.ciphers import load

    cipher = load(file)
    every = _of_cipher(cipher, cipher.slug)
    found = [box for box in every.values() if box.variant == rest.removesuffix(".inverse")]
    found = found or ([] if rest else list(every.values()))
    if len(found) == 1:
        return _inverted(found[0]) if rest.endswith(".inverse") else found[0]
    named = ", ".join(f"{file}.{box.variant}" for box in every.values())
    raise UsageError(
        "C130",
        f"`{file}` has no S-box `{rest}`" if rest else f"`{file}` has {len(every)} S-boxes",
        help=f"its S-boxes: {named}" if named else "tables and boxes of 3 to 8 input bits are S-boxes",
    )


def _as_known(box: Box) -> Box:
    """Return the known box of the same values, or the box itself."""
    same = (find(name) for name in every_name())
    return next((one for one in same if (one.data, one.outputs) == (box.data, box.outputs)), box)


def of_cipher(cipher: Cipher) -> list[Box]:
    """Return the boxes of a description, without inverses; one that is known by name is given as that."""
    return [_as_known(box) for box in _of_cipher(cipher, cipher.slug).values()]


def boxes_of(family: str) -> list[Box]:
    """Return the boxes of a cipher and their inverses: S0, I0, S1, … ; an involution comes once."""
    every = [name for name in every_name() if name.split(".")[0] == family]
    return [find(name) for name in every]


@cache
def families() -> tuple[str, ...]:
    """Return the names of all ciphers that have boxes here; the catalogue's others have theirs by name."""
    from cipherassay import ciphers

    found = {name for name in ciphers.of_papers() if _family(name)}
    return tuple(sorted(found | {path.stem for path in FOLDER.glob("*.toml")}))


@cache
def _family(family: str) -> dict[str, Box]:
    from cipherassay import ciphers

    found = _of_cipher(ciphers.load(family), family) if family in ciphers.names() else {}
    path = FOLDER / f"{family}.toml"
    return found | (_of_file(path) if path.exists() else {})


def _of_cipher(cipher: Cipher, family: str) -> dict[str, Box]:
    """Read the boxes of 8 input bits at most that a cipher's compiled program holds, without inverses."""
    found: dict[str, Box] = {}
    program = cipher.compile().mirror()
    by_data = _looked_up(program)
    of_bytes = (one for one in program.table_list if one.bits <= 8 and one.name in by_data)
    tables = [(one.name, None, one.entries) for one in of_bytes]
    for name, outputs, data in [*tables, *((b.name, b.outputs, b.entries) for b in program.box_list)]:
        if len(data) & (len(data) - 1) or not 8 <= len(data) <= 256:
            continue
        found[name] = checked(f"{family}.{name}", outputs, data, cipher.source, Place(str(cipher.file)))
    return {box.name: box for box in _without_inverses(found)}


def _looked_up(program: ir.Program) -> set[str]:
    """Return the tables that a word is the index of, not only the number of an iteration."""
    found = set()
    for function in program.function_list:
        types = function.types()
        for op in ir.walk(function.ops):
            if op.kind == "lookup" and any(types[name].is_word for _, name in op.addresses[0].terms):
                found.add(op.name)
    return found


def _without_inverses(found: dict[str, Box]) -> list[Box]:
    kept: list[Box] = []
    inverses: set[tuple[int, ...]] = set()
    for name in sorted(found):
        box = found[name]
        if box.data not in inverses:
            kept.append(box)
            inverses |= {box.inverse().data} - {box.data} if box.is_permutation else set()
    return kept


def _of_file(path: Path) -> dict[str, Box]:
    fields = tomllib.loads(path.read_text(encoding="utf-8"))
    found = {}
    for rest, text in fields["boxes"].items():
        # One hexadecimal digit per value, or decimal numbers with spaces between.
        values = [int(v) for v in text.split()] if " " in text else [int(digit, 16) for digit in text]
        name = f"{path.stem}.{rest}"
        found[name] = checked(name, None, values, fields["source"], Place(str(path)))
    return found
