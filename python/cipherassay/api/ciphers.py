"""A cipher as the library gives it: what the command's verbs do, as methods."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cipherassay.api.emitted import EmittedFiles
from cipherassay.api.html import folded, table
from cipherassay.api.programs import Program
from cipherassay.api.schedules import Schedule, schedule
from cipherassay.api.tables import Rows, rows
from cipherassay.api.verdicts import Verdicts

if TYPE_CHECKING:
    from cipherassay.lang.cipher import Cipher as Description


def load(name: str | Path) -> Cipher:
    """Return a cipher by one of its names (``"aes"``), or from a file (``"my.py"``).

    The known answers beside a file of your own are checked first.

    Raises
    ------
    UsageError
        ``U014``: no such cipher; ``U018``, ``U023`` to ``U027``: a file that cannot be read.
    DescriptionError
        ``Dxxx``: the file is no description; says where.
    VerificationError
        ``K020``: a known answer beside the file is another.
    """
    from cipherassay.review import load_right

    return Cipher(load_right(name))


def list_ciphers() -> list[str]:
    """Return the names of all ciphers of the package, those that `load` takes."""
    from cipherassay import ciphers

    return ciphers.names()


class Cipher:
    """A described cipher, permutation or function.

    Parameters
    ----------
    description : cipherassay.lang.Cipher
        What the file defines.
    """

    def __init__(self, description: Description) -> None:
        self.description = description

    @property
    def name(self) -> str:
        """The name as its paper writes it, and as rows have it."""
        return self.description.name

    @property
    def file(self) -> Path:
        """Its description."""
        return Path(self.description.file)

    @property
    def key_bits(self) -> tuple[int, ...]:
        """Its key sizes in bits; none where it takes no key."""
        return self.description.key_bits if self.description.keyed else ()

    @property
    def block_bits(self) -> int:
        """Bits of a block."""
        return self.description.block_bits

    @property
    def source_text(self) -> str:
        """The text of its description."""
        return self.file.read_text(encoding="utf-8")

    def strategies(self) -> list[str]:
        """Return the strategies that apply to it, those that `program`, `emit_c` and `measure` take."""
        from cipherassay.inputs import applicable_strategies

        return applicable_strategies(self.description)

    def encrypt(self, key: bytes, block: bytes, variant: str = "") -> bytes:
        """Return a block encrypted, computed by the description itself; a tweak stands behind its block.

        Raises
        ------
        UsageError
            ``U013``: it has no encryption.
        """
        return self._run("encrypt", key, block, variant)

    def decrypt(self, key: bytes, block: bytes, variant: str = "") -> bytes:
        """Return a block decrypted, as `encrypt` encrypts it."""
        return self._run("decrypt", key, block, variant)

    def _run(self, direction: str, key: bytes, block: bytes, variant: str) -> bytes:
        described = self.description
        described.key_size(8 * len(key))
        keys = described.run(described.schedule(direction, variant), key, variant=variant)
        made: bytes = described.run(direction, keys, block, variant=variant)
        return made

    def check(self, vectors: Sequence[str | Path] = (), *, draft: bool = False) -> Verdicts:
        """Check the description as `assay check` does, in a process of its own with limits.

        Parameters
        ----------
        vectors : sequence of paths
            Files of known answers; without any, those beside the description.
        draft : bool
            Let pass what is still missing: citations, known answers.

        Raises
        ------
        DescriptionError
            It takes too much time or memory.
        """
        from cipherassay.review import check_apart

        return Verdicts(check_apart(str(self.file), [Path(one) for one in vectors]), draft=draft)

    def program(self, key_bits: int = 0, strategy: str = "", variant: str = "") -> Program:
        """Return the program that it compiles into, as a strategy's passes transform it.

        Parameters
        ----------
        key_bits : int
            A key size in bits; 0: the first.
        strategy : str
            One of `strategies`; empty: the program as it is written.

        Raises
        ------
        UsageError
            ``U010``, ``U011``: no such key size or variant; ``S0xx``: no such strategy, or it does not apply.
        """
        from cipherassay import strategies

        described = self.description
        size = described.key_size(key_bits)
        made = (
            strategies.program(described, size, strategy, variant)
            if strategy
            else described.compile(size, variant)
        )
        return Program(f"{self.name}{described.keys_text(size)}, {strategy or 'as written'}", made)

    def emit_c(
        self,
        folder: str | Path | None = None,
        *,
        key_bits: Sequence[int] = (),
        strategy: str = "",
        variant: str = "",
        key: bytes | None = None,
        prefix: str = "",
    ) -> EmittedFiles:
        """Return it as C without dependencies, with a test of known answers; written where a folder is named.

        Parameters
        ----------
        folder : str or Path, optional
            Where the files are written.
        key_bits : sequence of int
            Key sizes in bits; all without any.
        key : bytes, optional
            The one key that the code is for.
        prefix : str
            What names of files and functions begin with.

        Raises
        ------
        UsageError
            ``U010``, ``U011``, ``S0xx``: no such key size, variant or strategy, or no prefix of names.
        """
        from cipherassay.ciphers import argument
        from cipherassay.native.emitting import project

        command = f"assay emit c {argument(self.description)} -o DIR"
        files = project(self.description, list(key_bits), strategy, variant, key, command, prefix)
        made = EmittedFiles(f"{self.name} in C", files)
        if folder is not None:
            made.write(folder)
        return made

    def measure(
        self,
        key_bits: Sequence[int] = (),
        *,
        strategy: str = "",
        variant: str = "",
        inputs: int = 1000,
        repeats: int = 30,
        seed: int = 1,
        accept_unstable: bool = False,
        store: str | Path | None = None,
    ) -> Rows:
        """Measure the generated C on this machine: cycles of key setup and of a block, with distributions.

        What was measured before under the same conditions is not measured again.

        Parameters
        ----------
        key_bits : sequence of int
            Key sizes in bits; all without any.
        inputs, repeats, seed : int
            Random inputs, timed runs of each, the seed of the inputs.
        accept_unstable : bool
            Measure on an unsteady machine, too; the rows are marked.
        store : str or Path, optional
            The folder of the results store; by default the one that commands use.

        Raises
        ------
        MeasurementError
            ``N020``, ``N021``: the machine is not steady.
        UsageError
            ``U010``, ``U011``, ``S0xx``: no such key size, variant or strategy.
        """
        from cipherassay import strategies, tools
        from cipherassay.console.progress import job_progress
        from cipherassay.jobs import RowCache, run
        from cipherassay.native import measuring
        from cipherassay.native.measurement import Settings
        from cipherassay.native.selection import Selection
        from cipherassay.native.session import Tolerance
        from cipherassay.results import Store

        tools.require_packages(*tools.MEASURING)
        described = self.description
        sizes = tuple(described.key_size(bits) for bits in key_bits) or described.key_bits
        described.check_choice(sizes[0], variant)
        chosen = Selection(described, strategy or strategies.preferred(described), variant, sizes)
        jobs = measuring.jobs([chosen], Settings(inputs, repeats, seed), Tolerance.of(accept_unstable))
        with job_progress("measure") as bar:
            found = run(jobs, RowCache(Store(store)), progress=bar).results
        return Rows.of(row for one in found.values() for row in one.rows)

    def schedule(
        self,
        processor: str,
        operation: str = "encrypt",
        *,
        key_bits: int = 0,
        variant: str = "",
        loop: bool = False,
        store: str | Path | None = None,
    ) -> Schedule:
        """Return an operation as machine code of a modelled processor, checked and counted in its simulator.

        Parameters
        ----------
        processor : str
            One of `list_processors`.
        operation : str
            ``encrypt``, ``decrypt``, ``key_setup_encrypt`` and so on, as rows name it.
        loop : bool
            Code with loops instead of straight-line code, where the processor has both.
        store : str or Path, optional
            Where the rows are kept; by default the store that commands use.

        Raises
        ------
        UsageError
            ``M002``: no such processor; ``U050``: no such operation there; ``U010``: no such key size.
        AssayError
            It cannot be made for the processor, or failed its check: with the reason.
        """
        return schedule(
            self.description, processor, operation, key_bits=key_bits, variant=variant, loop=loop,
            store=store,
        )  # fmt: skip

    def rows(self, store: str | Path | None = None, **where: Any) -> Rows:
        """Return all numbers that are known of it; see `cipherassay.rows`."""
        return rows(store, cipher=self.name, **where)

    def _repr_html_(self) -> str:
        described = self.description
        lines = [
            ("structure", described.structure),
            ("block", f"{described.block_bits} bits"),
            *([("tweak", f"{described.tweak_bits} bits")] if described.tweak_bits else []),
            *([("keys", ", ".join(f"{bits} bits" for bits in self.key_bits))] if self.key_bits else []),
            *([("variants", ", ".join(described.variants))] if described.variants else []),
            ("source", described.source),
            ("file", str(self.file)),
        ]
        return table(("", ""), lines, title=self.name) + folded("description", self.source_text)

    def __repr__(self) -> str:
        keys = f", keys of {', '.join(map(str, self.key_bits))} bits" if self.key_bits else ""
        return f"<Cipher: {self.name}, blocks of {self.block_bits} bits{keys}>"
