"""Strategies: which form of a cipher's description and which passes make the program that is written.

One TOML file per strategy, found by scanning this folder and the folders ``strategies`` of studies.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cipherassay import keeping, scanning
from cipherassay.errors import DescriptionError, UsageError, nearest
from cipherassay.once import once
from cipherassay.strategies.preferences import JAVA, preferred

if TYPE_CHECKING:
    from cipherassay._engine import Program
    from cipherassay.lang.cipher import Cipher

__all__ = [
    "JAVA", "Strategy", "applicable", "circuits", "emit_c", "emit_java", "load", "names", "preferred",
    "program",
]  # fmt: skip

_FOLDER = Path(__file__).parent
_PIPELINES = _FOLDER / "pipelines"
_CIRCUITS = _FOLDER.parent / "circuits"
SEARCHES = frozenset({"byte-orders"})
"""Passes that search for seconds: what they give is remembered between runs."""
_FIELDS = {
    "title",
    "description",
    "extends",
    "form",
    "beside_form",
    "prefer_forms",
    "passes",
    "essential",
    "for_each_key",
    "for_processors",
    "as_compiled",
    "loops",
    "word_bits",
    "isa",
}


@dataclass(frozen=True)
class Strategy:
    """A way to write a cipher as source code.

    Parameters
    ----------
    name : str
        The file's name without ending.
    title, description : str
        For people: a few words; what it does and what it costs.
    passes : tuple of str
        In order, each ``name`` or ``name:key=value,key=value``. In the file ``@name`` stands for the passes
        of ``pipelines/name.toml``, which has a description and passes of the same form. A file that
        ``extends`` another strategy has that one's passes before its own, and its fields where it has none.
    form : str
        The form of the cipher's description that it needs; empty for the literal one.
    beside_form : str
        It starts from the literal form, but makes sense only where the cipher has this other form too.
    prefer_forms : tuple of str
        Forms to start from where the cipher has them.
    essential : tuple of str
        Names of passes of which at least one must change the program, else the strategy does not apply.
    for_each_key : bool
        The code is made for one key, which the caller gives.
    for_processors : bool
        For modelled processors, not for a compiler. ``TARGET`` in its passes is the circuits' target.
    as_compiled : bool
        For studies of processors: what a compiler would make, not the best kernels.
    loops : bool
        For small code: rounds stay loops.
    word_bits : int
        For processors whose registers have so many bits; 0: for all.
    isa : str
        For this instruction set only, which then takes no others.
    """

    name: str
    title: str
    description: str
    passes: tuple[str, ...]
    form: str = ""
    beside_form: str = ""
    prefer_forms: tuple[str, ...] = ()
    essential: tuple[str, ...] = ("unroll", "pack-bytes")
    for_each_key: bool = False
    for_processors: bool = False
    as_compiled: bool = False
    loops: bool = False
    word_bits: int = 0
    isa: str = ""

    @property
    def makes(self) -> str:
        """Return what it makes programs for, in words."""
        if not self.for_processors:
            what = "C and Java"
        elif self.isa or self.word_bits:
            what = self.isa or f"processors of {self.word_bits} bits"
        else:
            what = "modelled processors"
        return what + (", for one key" if self.for_each_key else "")

    def form_for(self, cipher: Cipher) -> str | None:
        """Return the form of the cipher to start from, or None if it lacks the one needed."""
        if self.beside_form and self.beside_form not in cipher.forms:
            return None
        if self.form:
            return self.form if self.form in cipher.forms else None
        return next((form for form in self.prefer_forms if form in cipher.forms), "")


def names() -> list[str]:
    """Return the names of all strategies, in alphabetical order."""
    return sorted(_files())


@once
def _files() -> dict[str, Path]:
    """Return the files of all strategies by name."""
    found = (*_FOLDER.glob("*.toml"), *scanning.STUDIES.glob("*/strategies/*.toml"))
    return {path.stem: path for path in found}


@once
def load(name: str) -> Strategy:
    """Return a strategy by its name.

    Raises
    ------
    UsageError
        S030: there is no such strategy.
    DescriptionError
        S031: its file cannot be read or has an unknown field; S044: it extends what is no other strategy.
    """
    if name not in names():
        raise UsageError("S030", f"unknown strategy `{name}`", help=nearest(name, names()))
    return _read(_files()[name])


def _read(path: Path, around: tuple[str, ...] = ()) -> Strategy:
    """Return the strategy of a file; `around` are the strategies that extend it."""
    fields = _fields(path, "strategy", {"title", "description", "passes"}, _FIELDS)
    fields["passes"] = _expanded(fields["passes"], path)
    for field in fields.keys() & {"passes", "prefer_forms", "essential"}:
        fields[field] = tuple(fields[field])
    if "extends" not in fields:
        return Strategy(name=path.stem, **fields)
    base, around = fields.pop("extends"), (*around, path.stem)
    known = [name for name in names() if name not in around]
    if base not in known:
        raise DescriptionError(
            "S044", f"{path.name}: it extends `{base}`, which is no other strategy", help=nearest(base, known)
        )
    extended = _read(_files()[base], around)
    return replace(extended, **fields | {"name": path.stem, "passes": extended.passes + fields["passes"]})


def pipeline(name: str) -> list[str]:
    """Return the passes of a pipeline by its name."""
    return _expanded([f"@{name}"], _PIPELINES)


def _fields(path: Path, what: str, needed: Set[str], known: Set[str]) -> dict[str, Any]:
    """Return the fields of a file; raises ``S037`` if it is not TOML, ``S031`` for missing or unknown."""
    try:
        fields: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise DescriptionError("S037", f"{path.name} is not TOML: {error}") from None
    notes = [f"it lacks `{field}`" for field in sorted(needed - fields.keys())]
    notes += [f"it has no field `{field}`" for field in sorted(fields.keys() - known)]
    if notes:
        raise DescriptionError(
            "S031", f"{path.name} is not a {what}", notes=notes,
            help=f"known fields: {', '.join(sorted(known))}",
        )  # fmt: skip
    return fields


def _expanded(passes: Sequence[str], path: Path, around: tuple[str, ...] = ()) -> list[str]:
    """Return passes with those that ``@name`` stands for; `around` are the pipelines being expanded."""
    found: list[str] = []
    for one in passes:
        if not one.startswith("@"):
            found.append(one)
            continue
        name, file = one[1:], _PIPELINES / f"{one[1:]}.toml"
        known = sorted(each.stem for each in _PIPELINES.glob("*.toml"))
        if name not in known:
            help = nearest(name, known)
            raise DescriptionError("S035", f"{path.name}: unknown pipeline `{one}`", help=help)
        if name in around:
            raise DescriptionError("S036", f"{path.name}: the pipeline `{one}` contains itself")
        fields = _fields(file, "pipeline", {"description", "passes"}, {"description", "passes"})
        found += _expanded(fields["passes"], file, (*around, name))
    return found


@once
def circuits() -> tuple[tuple[str, str], ...]:
    """Return the known S-box circuits: file names and texts, for the pass `circuits`.

    First the sets of circuits, then the library's: of several for one box and target, the one with the
    target's own objective comes first, and the pass takes it.
    """
    sets = tuple((p.name, p.read_text(encoding="utf-8")) for p in sorted(_CIRCUITS.glob("*.txt")))
    return sets + _library_circuits()


@once
def circuits_digest() -> str:
    """Return the digest of the known S-box circuits."""
    from cipherassay.jobs.digests import digest

    return digest({"circuits": circuits()})


def strategy_digest(name: str) -> str:
    """Return the digest of a strategy: its fields, and the circuits that its passes may take."""
    from cipherassay.jobs.digests import digest

    chosen = load(name)
    takes = any(text.split(":")[0] == "circuits" for text in chosen.passes)
    return digest({"strategy": repr(chosen), "circuits": circuits_digest() if takes else ""})


def strategies_digest(names: Iterable[str]) -> str:
    """Return the digest of several strategies and their names."""
    from cipherassay.jobs.digests import digest

    return digest({name: strategy_digest(name) for name in names})


def circuits_worth_trying(cipher: Cipher, targets: Sequence[str]) -> Sequence[str]:
    """Return the targets whose S-box circuits differ for a cipher: the first if no box is bit-sliced."""
    return targets if cipher.compile().mirror().has("bitsliced") else targets[:1]


def _library_circuits() -> tuple[tuple[str, str], ...]:
    from cipherassay.circuits import engine, library, targets

    found = []
    for stored in library.stored():
        target = targets.find(stored.target)
        text = stored.text
        if target.name.startswith("cells:"):  # the pass knows no cells: their tables stand for them
            (document,) = engine.read(text, target)
            text = engine.write({k: v for k, v in document.items() if k != "equations"})
        second = stored.metric != target.objective[0]
        found.append((second, keeping.name_of(stored.path), text))
    return tuple((name, text) for _, name, text in sorted(found))


def program(
    cipher: Cipher,
    key_bits: int,
    strategy: str = "",
    variant: str = "",
    key: bytes | None = None,
    circuits_target: str = "infinite",
    without: Sequence[str] = (),
) -> Program:
    """Return the program of a cipher for one key size after a strategy's passes.

    The default is the one that C prefers; one that makes code for one key needs ``key``. Strategies for
    processors take S-box circuits found for ``circuits_target``. Passes named in ``without`` are left out.

    Raises
    ------
    UsageError
        S030: no such strategy. S032: it does not apply to this cipher.
        S033: it needs a key of this size, or takes none.
        U010, U011: the cipher lacks the key size or variant.
    """
    chosen = load(strategy or preferred(cipher))
    if chosen.for_each_key:
        cipher.demand_key("strategies for one key are")
    start = _start(cipher, key_bits, chosen, variant)
    if start is not None:
        passes = [p for p in _with_key(chosen, key_bits, key) if p.split(":")[0] not in without]
        result = passed(start, passes, circuits_target)
        result = _selectable(result) if chosen.for_processors else result
    if start is None or not _applies(chosen, start):
        known = ", ".join(name for name in names() if serves(load(name), cipher))
        raise UsageError(
            "S032",
            f"the strategy `{chosen.name}` does not apply to {cipher.name}",
            help=f"those that do: {known}",
        )
    return result


@lru_cache(maxsize=64)
def _selectable(program: Program) -> Program:
    """Return a program for processors with sums in place of matrices of which the passes made no tables, as
    those over words of 4 bits: no instructions are selected for a matrix."""
    if _passed(program, ("lower-linear",)).text() == program.text():
        return program
    return _passed(program, ("lower-linear", "fold", "cse", "dce"))


def _start(cipher: Cipher, key_bits: int, strategy: Strategy, variant: str = "") -> Program | None:
    """Return the program that a strategy's passes start from; None if the cipher lacks the form."""
    form = strategy.form_for(cipher)
    if form is None:
        return None
    literal = cipher.compile(key_bits, variant=variant)
    return cipher.compile(key_bits, variant=variant, form=form) if form else literal


def _applies(strategy: Strategy, start: Program) -> bool:
    if strategy.form or strategy.beside_form or strategy.for_each_key or not strategy.passes:
        return True
    return _has_effect(strategy, start)


def passed(program: Program, passes: Sequence[str], circuits_target: str = "infinite") -> Program:
    """Return a program after passes, for which S-box circuits are those found for ``circuits_target``."""
    return _passed(program, for_target(passes, circuits_target))


def for_target(passes: Sequence[str], circuits_target: str = "infinite") -> tuple[str, ...]:
    """Return passes for which S-box circuits are those found for a target."""
    return tuple(one.replace("TARGET", circuits_target) for one in passes)


@lru_cache(maxsize=64)
def _passed(program: Program, passes: tuple[str, ...]) -> Program:
    """Return a program after passes: asked for again by other operations, processors and back ends."""
    searched = [n for n, one in enumerate(passes) if one.split(":")[0] in SEARCHES]
    if searched:
        begin = searched[-1] + 1
        program, passes = _searched(program, passes[:begin]), passes[begin:]
    return program.passes(list(passes), circuits())


def _searched(program: Program, passes: tuple[str, ...]) -> Program:
    """Return a program after passes of which one searches; the cache remembers it."""
    from cipherassay._engine import Program
    from cipherassay.jobs.digests import digest
    from cipherassay.jobs.producer import engine_digests
    from cipherassay.jobs.texts import TextCache

    made_of = [program.text(), list(passes), circuits_digest(), engine_digests(("program",))]
    cached = TextCache("programs")
    return Program.parse(
        cached.made(digest({"made_of": made_of}), lambda: program.passes(list(passes), circuits()).text())
    )


def _with_key(strategy: Strategy, key_bits: int, key: bytes | None) -> list[str]:
    if strategy.for_each_key != (key is not None) or (key is not None and 8 * len(key) != key_bits):
        needs = f"needs a key of {key_bits} bits" if strategy.for_each_key else "takes no key"
        raise UsageError(
            "S033",
            f"the strategy `{strategy.name}` {needs}",
            help="give it with --key HEX" if strategy.for_each_key else "",
        )
    return [p.replace("KEY", key.hex() if key else "") for p in strategy.passes]


def _has_effect(strategy: Strategy, start: Program) -> bool:
    """Whether one of the passes does anything without which the strategy would be another renamed."""
    before = _passed(start, ("inline-calls",))
    text = before.text()
    passes = (p for p in strategy.passes if "TARGET" not in p)
    essential = [p for p in passes if p.split(":")[0] in strategy.essential]
    return not essential or any(_passed(before, (p,)).text() != text for p in essential)


def applicable(cipher: Cipher, for_processors: bool = False, isa: str = "") -> list[str]:
    """Return the names of the strategies that apply to a cipher: for a compiler, or for processors.

    With ``isa`` those that are for this instruction set only.
    """
    among = for_processors_of(isa) if for_processors else for_compilers()
    return [name for name in among if serves(load(name), cipher)]


def for_processors_of(isa: str = "") -> list[str]:
    """Return the names of the strategies for processors; with ``isa`` those for this instruction set only."""
    return [name for name in names() if _is_meant(load(name), True, isa)]


def for_compilers() -> list[str]:
    """Return the names of the strategies for a compiler."""
    return [name for name in names() if _is_meant(load(name), False, "")]


def _is_meant(strategy: Strategy, for_processors: bool, isa: str) -> bool:
    return strategy.for_processors == for_processors and strategy.isa == isa and not strategy.as_compiled


def serves(strategy: Strategy, cipher: Cipher, key_bits: Sequence[int] = ()) -> bool:
    """Whether a strategy applies to a cipher with each of some key sizes; without any, with its first."""
    if strategy.for_each_key:
        return True
    starts = (_start(cipher, bits, strategy) for bits in key_bits or (cipher.key_size(),))
    return all(start is not None and _applies(strategy, start) for start in starts)


def emit_c(
    cipher: Cipher,
    key_bits: Sequence[int] = (),
    strategy: str = "",
    variant: str = "",
    key: bytes | None = None,
    prefix: str = "",
) -> list[tuple[str, str]]:
    """Return the C files (name, text) of a cipher for the given key sizes (default: all, or that of the key).

    Raises what `program` raises; UsageError ``S038``: names of C cannot begin with the prefix.
    """
    from cipherassay._engine import emit_c as engine_emit_c

    chosen = load(strategy or preferred(cipher))
    programs, options = _to_write(cipher, key_bits, chosen, variant, key)
    if prefix and not re.fullmatch("[A-Za-z][A-Za-z0-9_]*", prefix):
        raise UsageError(
            "S038", f"names of C cannot begin with `{prefix}`", help="letters, digits and `_`: --prefix my_"
        )
    slug = prefix + cipher.slug + (f"_{variant.replace('-', '_')}" if variant else "")
    return engine_emit_c(programs, {"name": slug, **options})


def emit_java(
    cipher: Cipher,
    name: str,
    package: str,
    key_bits: Sequence[int] = (),
    strategy: str = "",
    variant: str = "",
    key: bytes | None = None,
) -> str:
    """Return the Java class of a cipher, called `name`, for the key sizes (default: all, or that of the key).

    Raises what `program` raises.
    """
    from cipherassay._engine import emit_java as engine_emit_java

    chosen = load(strategy or preferred(cipher, JAVA))
    programs, options = _to_write(cipher, key_bits, chosen, variant, key)
    ((_, text),) = engine_emit_java(programs, {"name": name, "package": package, **options})
    return text


def _to_write(
    cipher: Cipher, key_bits: Sequence[int], strategy: Strategy, variant: str, key: bytes | None
) -> tuple[list[tuple[int, Program]], dict[str, str]]:
    """Return the programs that a back end writes, and what its options say of them."""
    sizes = [8 * len(key)] if key is not None else list(key_bits or cipher.key_bits)
    programs = [(bits, program(cipher, bits, strategy.name, variant, key)) for bits in sizes]
    sized = f" Key sizes: {', '.join(map(str, sizes))} bits." if cipher.keyed else ""
    of_variant = f" Variant: {variant}." if variant else ""
    header = [f"{strategy.title}.", f"Source: {cipher.source}.{sized}{of_variant}"]
    return programs, {"strategy": strategy.name, "header": "\n".join(header)}
