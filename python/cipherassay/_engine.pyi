"""The engine: programs, their evaluation, passes and source code."""

from collections.abc import Callable, Mapping, Sequence
from typing import Literal, TypedDict, final, overload

from cipherassay import ir
from cipherassay.errors import Place

Argument = int | bytes | Sequence[int] | Sequence[Sequence[int]]
"""A word, or an array: bytes, its elements row by row, or a list of rows."""

class FunctionSignature(TypedDict):
    """Name, parameters (name and type) and result types of a function."""

    name: str
    params: list[tuple[str, str]]
    results: list[str]

class TraceEvent(TypedDict):
    """A value that the author named, with the iteration numbers of the loops around it (outermost first)."""

    function: str
    name: str
    iterations: tuple[int, ...]
    value: int | list[int | None]
    places: tuple[Place, ...]

class Count(TypedDict):
    """Operations as written, and as executed (times iterations, called functions included)."""

    static: int
    dynamic: int

@final
class Program:
    """A compiled cipher (for one key size), or any set of functions; never changes."""

    @staticmethod
    def parse(text: str) -> Program:
        """Read the text form and verify it; raises DescriptionError, P001 to P008 or P101 to P120."""

    def text(self) -> str:
        """Return the text form."""

    def mirror(self) -> ir.Program:
        """Return the whole program as data, the same object at every call."""

    @property
    def name(self) -> str:
        """Name as the text form holds it."""

    @property
    def meta(self) -> dict[str, str]:
        """Facts about the program: ``block_bits``, ``key_bits``, …"""

    def facts(self) -> list[tuple[str, str]]:
        """Return every fact in order: unlike in `meta`, several may have one name (``byte_order``)."""

    def functions(self) -> list[FunctionSignature]:
        """Describe every function, in order."""

    def evaluate(self, function: str, args: Sequence[Argument]) -> list[int | list[int]]:
        """Run a function; arrays come back as flat lists.

        Raises UsageError P203 (no such function) or P204, P209 (arguments that do not fit),
        DescriptionError P201
        where a cell is read or returned that was never written, P202 if the program is too large to evaluate.
        """

    def run_blocks(self, function: str, keys: Sequence[Argument], data: bytes) -> bytes:
        """Apply a function to each block of ``data``, after the other arguments ``keys``.

        Errors as `evaluate`.
        """

    def run_chain(
        self,
        function: str,
        keys: Sequence[Argument],
        chain: Literal["ecb", "cbc_encrypt", "cbc_decrypt"],
        vector: bytes,
        block: bytes,
        count: int,
    ) -> tuple[bytes, bytes]:
        """Apply a block function F ``count`` times to what becomes of its outputs.

        The chains are NIST's Monte Carlo loops (1998).
        ``ecb``: x = F(x), from x = ``block``; the vector is empty.
        ``cbc_encrypt``: C = F(P ^ V); P = V; V = C, from P = ``block``, V = ``vector``; the outputs are C.
        ``cbc_decrypt``: P = F(C) ^ V; V = C; C = P, from C = ``block``, V = ``vector``; the outputs are P.
        Returns the last output and the last but one; ``block`` stands before the first.
        Errors as `run_blocks`.
        """

    def trace(self, function: str, args: Sequence[Argument]) -> list[TraceEvent]:
        """Run a function; give every value that its author named, in the order of computation.

        Errors as `evaluate`.
        """

    def statistics(self, function: str) -> dict[str, Count]:
        """Count operations by kind; raises UsageError P203."""

    def passes(self, names: Sequence[str], circuits: Sequence[tuple[str, str]] = ...) -> Program:
        """Return the program after passes, each ``name`` or ``name:key=value,key=value``.

        ``circuits`` are the texts that the pass of that name reads.
        """

    def constant_time(self, function: str) -> ConstantTime:
        """Say whether the time of a function can depend on its arguments."""

class ConstantTime(TypedDict):
    """The verdict, what it rests on, and one sentence that says so."""

    constant_time: bool
    accesses: list[str]
    assumptions: list[str]
    sentence: str

class PanicException(BaseException):
    """A panic of the engine: a bug."""

def last_panic() -> str | None:
    """File and line of the engine's last panic in this process, if there was one."""

def panic_for_test(message: str) -> None:
    """Panic, for the tests of how a panic is reported."""

def crate_digests() -> dict[str, str]:
    """The digest of each crate of the engine, by folder in `crates`: of its code, data and dependencies."""

def available_passes() -> list[tuple[str, str]]:
    """Name and description of every pass."""

def emit_c(programs: Sequence[tuple[int, Program]], options: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return C files (name and text) for a cipher compiled for one or more key sizes.

    Options: ``name``, ``strategy``, ``header`` (lines), ``api`` (``cipher``, or ``functions`` for each
    function of one program).
    """

def emit_java(programs: Sequence[tuple[int, Program]], options: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return the Java class (file name and text) for a cipher compiled for one or more key sizes.

    Options: ``name`` (of the class), ``package``, ``strategy``, ``header`` (lines).
    """

def generate(seed: int, size: int, widths: Sequence[int] = ()) -> str:
    """Return the text of a random sound program that the seed determines.

    Each of its functions has about ``size`` operations, on words of ``widths`` bits if they are given.
    """

def circuit_read(
    source: str,
    target: str | None = None,
    table: Sequence[int] | None = None,
    outputs: int | None = None,
    file: str = "circuit text",
) -> str:
    """Return the circuits of a text as a JSON list.

    Each has ``name``, ``fields`` (pairs, in order), ``equations`` (texts), ``names`` (of the gates) and
    ``circuit``: ``inputs``, ``gates`` (``arity``, ``table``, ``operands``) and ``outputs``, a wire being
    ``x0`` (input), ``g0`` (gate), ``0`` or ``1``. ``target`` is JSON; ``table`` serves to find outputs that
    have no name.
    Raises DescriptionError C001 to C017, C102, C106, C217.
    """

def circuit_write(document: str, target: str | None = None) -> str:
    """Return the text of one circuit from its JSON; without ``equations``, ones are written for its gates.

    Raises DescriptionError C110 and those of `circuit_read`.
    """

def circuit_check(
    source: str,
    table: Sequence[int] | None = None,
    outputs: int | None = None,
    target: str | None = None,
    file: str = "circuit text",
) -> None:
    """Check every circuit of a text against a box, or against its own line ``table``.

    Raises VerificationError C103, C104, DescriptionError C105 (no table) and those of `circuit_read`.
    """

def circuit_metrics(source: str, target: str) -> str:
    """Return every figure of a circuit on a target (JSON) as a JSON object, without those that do not apply.

    ``gates``, ``ops``, ``depth``, ``width``, ``cycles`` (exact schedule of the gates as written),
    ``cycles_rebuilt`` (associative chains as trees), ``cycles_paper`` and ``width_paper`` (the HP paper's
    rule), ``least_width``, ``temps``, ``temps_least``, ``registers``, ``registers_least``, ``and_count``,
    ``ternary_count``, ``instructions``, ``instructions_least`` (best order), ``moves``, ``area_um2``,
    ``gate_equivalents``.
    Raises DescriptionError C014 (not one circuit), C210 (the target cannot compute it) and those of
    `circuit_read`.
    """

def circuit_remarks(source: str, target: str) -> list[str]:
    """Say which figures of `circuit_metrics` are not proved, or are absent, and why; errors as there."""

def circuit_fit(source: str, target: str, rebuild: bool = False) -> str:
    """Return the circuit in the operations of a target, complements taken into the gates around them.

    ``rebuild`` makes trees of the chains of AND, OR and XOR. Errors as `circuit_metrics`.
    """

def circuit_equivalence(first: bytes, second: bytes) -> tuple[list[int], int, list[int], int] | None:
    """Return the maps of ``second = outer . first . inner``, permutations of 3 to 6 bits; None without any.

    Images of the unit vectors under the inner map, its constant, then the same of the outer one.
    """

def circuit_inversion(table: bytes) -> tuple[list[int], int, list[int], int] | None:
    """Return the maps between which a box of 8 bits is inversion in GF(2^8); see `circuit_equivalence`."""

def circuit_engines() -> str:
    """Return the search engines as a JSON list: ``name``, ``description``."""

def circuit_units(problem: str, engine: str) -> int:
    """Return how many units of work an engine has for a problem; 0 if it cannot serve it.

    ``problem`` is JSON: ``table``, ``outputs``, ``target``, ``objective`` (metrics), ``seed``.
    Raises UsageError C202, C302, DescriptionError C102, C106, C301.
    """

def circuit_unit(problem: str, engine: str, unit: int, callback: Callable[[str], bool | None]) -> str:
    """Run one unit of an engine; return JSON: ``circuits``, ``bounds``, ``effort``, ``finished``.

    ``callback`` gets a line of progress, or an empty one ten times a second, and returns whether to stop;
    what it raises ends the unit and is raised. Errors as `circuit_units`, and UsageError C303: no such unit.
    """

def circuit_languages() -> str:
    """Return the languages of circuits: JSON list of ``name``, ``title``, ``suffix``, ``choices``."""

def circuit_emit(
    source: str,
    language: str,
    options: Mapping[str, str] = ...,
    target: str | None = None,
    name: str | None = None,
    file: str = "circuit text",
) -> str:
    """Return the text of one circuit in a language.

    Raises UsageError C401, C402, C404, C406, DescriptionError C403, VerificationError C103, C104 and those of
    `circuit_read`.
    """

def circuit_identifier(name: str) -> str:
    """Return the identifier under which a box's name is written in every language."""

class Exhaustion:
    """All circuits of so many two-input gates for boxes of four inputs, cut into units of work."""

    def __init__(self, tables: Sequence[bytes], outputs: int, gates: int, threads: int) -> None:
        """Plan the work for boxes given by their values; for 12 gates this takes minutes.

        Raises UsageError C318, C319: boxes or a number of gates that it cannot serve.
        """
    def units(self) -> int:
        """Return how many units there are."""
    def counts(self) -> list[tuple[int, int, int]]:
        """Return for each number of gates: orbits of sets, sets, cones to be completed."""
    def run(self, unit: int) -> str:
        """Do a unit; return JSON: ``cones``, ``outputs``, ``completions``, ``found``."""

def count_sets(gates: int) -> int:
    """Count the constructible sets of so many two-input gates over four inputs, one by one."""

def solver_version() -> str:
    """Return name and version of the SAT solver."""

def circuit_question(problem: str, metric: str) -> str:
    """Return what is known of a count at sight, as JSON: ``least``, ``inverters``.

    Raises UsageError C310, C311, C323: nothing can be proved of this target, metric or box.
    """

def circuit_clauses(problem: str, metric: str, count: int, path: str) -> str:
    """Write the clauses for a count; return ``variables``, ``clauses``, ``statement`` as JSON."""

def circuit_refute(
    problem: str,
    metric: str,
    count: int,
    clauses: str,
    proof: str,
    callback: Callable[[str], bool | None],
) -> str:
    """Let the solver answer the clauses of a file, with a proof file; the callback returns whether to stop.

    Returns JSON: ``answer`` (``impossible``, ``found``, ``undecided``), and ``circuit`` if one was found.
    """

def proof_check(clauses: str, proof: str, callback: Callable[[str], bool | None]) -> str:
    """Check a proof file in the binary LRAT format against clauses in the DIMACS format.

    Returns JSON: ``accepted``; then ``added``, ``reasons``, ``alive``, or ``reason``.
    """

def proof_trim(clauses: str, proof: str, to: str) -> None:
    """Write the steps of a proof that its end needs to another file."""

def proof_drat(clauses: str, proof: str, to: str) -> None:
    """Write a proof in the DRAT format, as text, to another file."""

@final
class Graph:
    """Operations with their dependences, to be scheduled; resources and schedules are JSON texts."""

    @staticmethod
    def parse(text: str) -> Graph:
        """Read ``{"classes": [...], "edges": [{"from", "to", "latency", "distance"}, ...]}``; raises M300."""

    def json(self) -> str:
        """Return the JSON."""

    def bound(self, resources: str, looped: bool = False) -> str:
        """Return the best lower bound as JSON: ``cycles``, ``kind``, ``why``; raises M301 to M304, M308.

        It bounds the length, or with ``looped`` the initiation interval.
        """

    def windows(self, resources: str) -> tuple[list[int], list[int]]:
        """Return of each operation its earliest cycle, and the fewest cycles from it to the last issue."""

    def list_schedule(
        self, resources: str, restarts: int, seed: int, registers: Sequence[tuple[int, int]] = ()
    ) -> str:
        """Return a list schedule as JSON: ``schedule``, ``bound`` and the ``restarts`` made.

        ``registers`` gives register classes and how many of their values may live at once; ``pressure`` says
        what exceeds them even so.
        """

    def modulo_schedule(self, resources: str, attempts: int, seed: int, branch: int | None = None) -> str:
        """Return a software pipeline as JSON: ``schedule``, ``bound`` (of the interval) and ``stages``.

        The operation ``branch`` issues in the last cycle of an interval.
        """

    def shortened(self, resources: str, schedule: str, branch: int | None = None) -> str:
        """Return the schedule with operations moved so that values live shorter; it gets no longer."""

    def pressure(self, schedule: str, register_class: int) -> int:
        """Return the most values of a register class that live at once."""

    def check(self, resources: str, schedule: str) -> None:
        """Check the edges and caps of a schedule; raises VerificationError M310 to M312."""

@final
class Processor:
    """A processor model, read from its files; never changes."""

    @staticmethod
    def load(
        isas: Sequence[tuple[str, str, str]],
        processors: Sequence[tuple[str, str, str]],
        name: str,
        parameters: Sequence[tuple[str, str]],
    ) -> Processor:
        """Read a processor from files: name without ``.toml``, text, path.

        Raises UsageError M002 (no such processor), M006 (no such parameter), M007 (a value it cannot have),
        DescriptionError M001 to M021 where a file is wrong, M101 in the semantics of an instruction.
        """

    @property
    def name(self) -> str:
        """Name of the processor."""

    @property
    def issues_out_of_order(self) -> bool:
        """Cycles come from the simulator alone; a processor without limits follows its schedule."""

    @property
    def word_bits(self) -> int:
        """Bits of a general register."""

    @property
    def cache_bytes(self) -> int:
        """Bytes of the data cache; 0 where every access hits."""

    def resources(self) -> str:
        """Return ports and issue width as caps (``classes``, ``caps``): JSON, as schedulers read it."""

    def execute(
        self, instruction: str, uses: Sequence[int], memory: bytes = b"", base: int = 0
    ) -> tuple[list[int], bool | None, bytes]:
        """Run one instruction on words by its semantics, with memory at an address.

        Returns what it writes in the order of its form, whether it jumps (None: it says nothing of it), and
        the memory. Raises UsageError M022: no such instruction, M024: other operands, M025: an address
        outside.
        """

    def json(self) -> str:
        """Return everything that is known of it, as JSON."""

def processor_check(
    isas: Sequence[tuple[str, str, str]], processors: Sequence[tuple[str, str, str]], name: str
) -> str:
    """Return the contradictions as a JSON list of ``code``, ``message``, ``places``, ``notes``, ``help``."""

class Simulated(TypedDict):
    """A run: ``cycles`` (0 if not counted), ``operations``, ``useful``, ``misses``, ``stalls``, ``memory``,
    ``events``.

    An event is the operation's number, whether its predicate held, the cycles of insertion, issue, finish
    and retirement, and what kept it: kind, operation, register or ports.
    """

    cycles: int
    operations: int
    useful: int
    misses: int
    text_misses: int
    stalls: dict[str, int]
    memory: bytes
    events: list[tuple[int, bool, int, int, int, int, str, int | None, str]]

@final
class Machine:
    """An assembly text on a processor; never changes."""

    @staticmethod
    def load(
        text: str,
        processor: Processor,
        file: str = "assembly text",
        *,
        banks: bool = True,
        cache: bool = True,
        store_to_load: int | None = None,
    ) -> Machine:
        """Read a text by the assembly templates of the processor's instruction set.

        Without ``banks``, accesses to the data cache do not conflict; without ``cache``, they all hit;
        ``store_to_load`` are other cycles from a store to a load of its value than the processor's.
        Raises DescriptionError M500 (no such instruction), M501, M517 (operands that do not fit), M502,
        M518 to M524 (bundles),
        M503, M525 (labels), M504 and M505 (a register read or written after its group wrote it), M507 (no
        port).
        """

    def operations(self) -> list[tuple[int, str]]:
        """Return line and text of every operation."""

    def run(
        self,
        arguments: Sequence[int],
        memory: bytes,
        *,
        base: int = 0x10000,
        mode: str = "cycles",
        timeline: bool = False,
        limit: int = 1 << 28,
    ) -> Simulated:
        """Run it once: arguments in the argument registers, ``memory`` from address ``base`` on.

        ``mode``: ``functional`` or ``cycles``. Raises DescriptionError M510 (memory), M511 (operations of a
        group that exclude each other, and do not), M512 (more than ``limit`` operations), UsageError M513
        (too many arguments), M515 (no such mode).
        """

    def distribution(
        self,
        arguments: Sequence[int],
        memory: bytes,
        variations: Sequence[tuple[int, int, bytes]],
        runs: int,
        *,
        base: int = 0x10000,
    ) -> list[int]:
        """Return the cycles of several runs; Ctrl-C ends it between two.

        A variation is where bytes of the memory differ (offset, length), and the bytes of all runs one after
        the other. Raises UsageError M514 (a variation outside of the memory) and as `run`.
        """

@final
class Kernel:
    """Machine code of a function for a processor, before it is scheduled; never changes."""

    @staticmethod
    def select(
        program: Program,
        function: str,
        processor: Processor,
        avoid: list[str],
        pointers: int,
        spread: bool,
        depth: int | None,
        wide: str,
        even: bool,
        layout: str = "contiguous",
        bytes: bool = False,
    ) -> Kernel:
        """Select instructions; ``avoid`` names instructions and recipes that are not to be used.

        ``wide``: two words are loaded as one ``never``, where that is ``cheaper``, or of the ``keys`` always.
        ``layout`` says how tables lie: ``contiguous``, ``aligned``, ``interleaved``. With ``bytes`` those of
        blocks and keys lie as C's arrays do; otherwise as words that the caller has put in order.
        Raises UsageError M717 (no such layout), DescriptionError M2xx.
        """

    @staticmethod
    def search(
        program: Program,
        function: str,
        processor: Processor,
        pointers: int,
        wide: str,
        restarts: int,
        layout: str = "contiguous",
    ) -> tuple[list[str], bool, int | None, bool]:
        """Search ``avoid``, ``spread``, ``depth``, ``even``, compared by schedules with so many restarts."""

    def text(self) -> str:
        """Return the code before registers, for people."""

    def counts(self) -> list[tuple[str, int]]:
        """Return how often each instruction stands in the code."""

    def interface(self) -> str:
        """Return memory, pointers and argument registers as JSON."""

    def graphs(self) -> list[Graph]:
        """Return the graph of each region."""

    def schedule(self, restarts: int, seed: int, attempts: int) -> str:
        """Schedule every region: a JSON list of iterations, operations, bound and schedule."""

    def least(self) -> int | None:
        """Return cycles that no schedule of straight-line code goes below, quickly found; None with loops."""

    def bounds(self) -> str:
        """Return of each region the best lower bound as straight-line code: a JSON list, as in `schedule`."""

    @overload
    def fitted(
        self,
        restarts: int,
        seed: int,
        program: int,
        free: int = 0,
        ahead: Sequence[int] = (),
        loops: bool = False,
    ) -> tuple[Kernel, str, int]: ...
    @overload
    def fitted(
        self,
        restarts: int,
        seed: int,
        program: int,
        free: int,
        ahead: Sequence[int],
        loops: bool,
        most: tuple[int, int] | None,
    ) -> tuple[Kernel, str, int] | None:
        """Return the kernel with values spilled until registers suffice, JSON as of `schedule`, a look-ahead.

        Its text is in an order between that of a list schedule (``program`` is 0) and that of the program
        (100). Spilling leaves ``free`` registers of every larger class to the schedules; with ``loops``, what
        loops carry leaves its register as other values do, else where nothing else can. Those look ahead as
        many operations of the text as the number of ``ahead`` that makes them shortest; the last result is
        that number, 0 where the order of the text stays. The bounds are quickly found ones: `bounds` has
        the best. None if it takes more cycles than the first of ``most``, or as many and more operations than
        the second.
        Raises DescriptionError M401 where nothing more can leave its register.
        """

    def relaxed(self, restarts: int, seed: int, attempts: int) -> str | None:
        """Return JSON as of `schedule` that leaves registers free, so that values have registers; or None."""

    def spilled(self, restarts: int, seed: int, attempts: int) -> tuple[Kernel, str]:
        """Return the kernel with values spilled until the registers suffice, and JSON as of `schedule`.

        Every round is scheduled anew, which serves loops whose iterations overlap.
        Raises DescriptionError M401 where nothing more can leave its register.
        """

    def emit(self, schedules: str) -> str:
        """Check schedules (a JSON list, one per region) and return the assembly and its figures as JSON.

        ``blocks`` has iterations, interval and cycles of each block; ``origins`` has of each operation
        its line of the text, block, cycle from the block's start, and places: file and line, innermost first.
        """


class SequenceStep(TypedDict):
    """One clock of a function: its body, the places it reads and writes, the constants of its iteration."""

    body: str
    wiring: bool
    reads: list[str]
    constants: list[int]
    writes: list[str]
    iteration: str


class StepSequence:
    """A function of a program, cut into clocked steps."""

    @staticmethod
    def of(
        program: Program, function: str, iterations: int = 1, merge_before: bool = False,
        merge_after: bool = False, parts: int = 1, keys: str = "stored", ahead: bool = False,
        then: list[str] = ...,
    ) -> StepSequence:
        """Cut a function: ``iterations`` of a loop make a step; what stands before or after may be merged.

        A step takes ``parts`` clocks at most. Where round keys are not stored, an end that only moves words
        gives its clock to the other: ``keys`` and ``ahead`` are those of the strategy. Functions of the same
        parameters run ``then``, their results behind those of the first, without what it computed already.

        Raises DescriptionError H101 to H104, H318 for what cannot be steps, with the cipher's line.
        """

    @property
    def program(self) -> Program:
        """The program that holds the bodies."""

    def steps(self) -> list[SequenceStep]:
        """Describe every step, in order."""

    def run(self, arguments: list[list[int]]) -> list[list[int]]:
        """Run the steps on the words of every parameter; return the words of every result."""

    def trace(self, arguments: list[list[int]]) -> list[list[int]]:
        """Run the steps; return, per step, the words that it writes, in the order of its ``writes``."""


class Design:
    """A hardware design: machines, wires, pins."""

    @staticmethod
    def build(
        name: str,
        architecture: str,
        programs: list[tuple[int, Program]],
        encrypt: bool,
        decrypt: bool,
        iterations: int = 1,
        key_iterations: int = 1,
        merge_before: bool = False,
        merge_after: bool = False,
        share: bool = True,
        keys: str = "stored",
        pads: list[tuple[int, bytes]] = ...,
        parts: int = 1,
        ahead: bool = False,
        storage: str = "registers",
        copies: int = 1,
    ) -> Design:
        """Build an ``iterative`` or ``pipelined`` device for one key size or for 128, 192 and 256 bits.

        ``share``: what excludes each other shares operators. ``keys``: ``stored``, ``window``,
        ``independent`` or ``auto``. ``pads``: for shorter key sizes, what makes their keys keys of the
        longest. ``parts``: clocks that a step of the cipher takes at most. ``copies``: iterative cores side
        by side.
        Raises UsageError H303 for another architecture, DescriptionError H101 to H107, H301, H309 to
        H311, H313, H314, VerificationError H211 to H219 where the design contradicts itself.
        """

    @staticmethod
    def padding(short: Program, long: Program) -> bytes | None:
        """Return what follows a short key where the key schedules then agree; None where they do not."""

    @property
    def name(self) -> str:
        """Name of the top-level module."""

    @property
    def copies(self) -> int:
        """Iterative cores side by side."""

    def files(self, language: str) -> list[tuple[str, str]]:
        """Return the files (name, text), modules before those that have instances of them.

        Raises UsageError H404 for another language, DescriptionError H401, H402.
        """

    def module_names(self) -> list[str]:
        """Return the module of every machine, and last that of the device."""

    def port_docs(self) -> dict[str, str]:
        """Return what each pin carries; empty where nothing is said."""

    @property
    def program(self) -> Program:
        """The program that holds all combinational functions."""

    def ports(self) -> list[tuple[str, str, list[int]]]:
        """Return name, direction (``input``, ``output``) and widths of the words of every pin."""

    def machines(self) -> list[tuple[str, int]]:
        """Return every machine with its register bits."""

    def registers(self) -> list[tuple[str, str, int]]:
        """Return block, name and width in bits of every register, named as in the emitted files.

        A word of a store has its number in brackets.
        """

    def timing(self) -> list[tuple[int, bool, int, int, int]]:
        """Return key bits, decrypt, and clocks of key setup, latency and from block to block."""


class DesignSimulation:
    """A design in operation, simulated clock by clock with the program's evaluator."""

    def __init__(self, design: Design) -> None: ...

    def clock(self, pins: dict[str, list[int]], reset: bool = False) -> dict[str, list[int]]:
        """Apply the words of every input pin; return those of every output pin, before the clock's edge."""

    def register(self, machine: str, register: str) -> int | None:
        """Return the value of a register of a machine."""

    def state(self) -> list[int]:
        """Return all registers and words of stores, in the order of ``Design.registers``."""

def layout_layers(program: Program, function: str) -> str:
    """Return the S-box layers with linear layers behind them of a function and of what it calls, as JSON."""

def linear_layers(program: Program, function: str) -> str:
    """Return the matrices by which a function, and what it calls, multiplies bytes, as JSON."""

def bit_layers(program: Program, function: str) -> str:
    """Return the linear layers of bits of a function, its calls replaced, and what is not linear, as JSON."""

def linear_wide(
    inputs: int, rows: Sequence[Sequence[int]], callback: Callable[[str], bool]
) -> tuple[list[tuple[int, int]], list[int | None]] | None:
    """Return XORs by pairs for a GF(2) matrix of any width, given by each row's columns; None: stopped."""

def linear_fewest(inputs: int, rows: Sequence[int], count: int, callback: Callable[[str], bool]) -> str:
    """Return, as JSON, sums of a program of so many or fewer for a GF(2) matrix, or null: there is none.

    Rows have bit k for input k. Raises DescriptionError C110, C116, UsageError C124: above eight columns.
    """

def linear_words(
    rows: Sequence[bytes],
    polynomial: int,
    bytes: int,
    is_free: bool,
    counts_cycles: bool,
    machine: str,
    limits: tuple[int, int, int, int],
    callback: Callable[[str], bool],
) -> str:
    """Search programs of words that hold the bytes of a matrix; return what was found, as JSON.

    ``machine`` is JSON; ``limits``: least and most count, most operations for cycles, most sets.
    ``callback`` gets a line now and then and returns whether to stop. Raises DescriptionError C123, C129.
    """

def layout_search(
    rows: Sequence[bytes],
    boxes: Sequence[int],
    second: int | None,
    word_bits: int,
    families: Sequence[str],
    most_nodes: int,
    callback: Callable[[str], bool],
) -> str:
    """Search table layouts; return the front and what was tried, as JSON.

    ``callback`` gets a family, what is done and what there is to do, and returns whether to stop. Raises
    DescriptionError L101, L102, L107 or L108 for a layer that is none or does not fit the words.
    """

class MicroOpsRun(TypedDict):
    """A run; ``stalls``: cycles in which renaming lacked what, misses of data and of text."""

    cycles: int
    operations: int
    misses: int
    text_misses: int
    stalls: dict[str, int]

@final
class X86Forms:
    """Instructions of x86-32 by form, each with its micro-operations; never changes."""

    @staticmethod
    def parse(text: str) -> X86Forms:
        """Read the text of a file of forms, else DescriptionError M305."""

@final
class X86Function:
    """A function as x86-32 code whose steps have no order yet; never changes."""

    @staticmethod
    def select(
        program: Program,
        function: str,
        parameters: Sequence[tuple[str, int]],
        results: Sequence[tuple[str, int]],
        tables: Sequence[tuple[str, int]],
        work: str,
        words: int,
    ) -> X86Function:
        """Select the steps of a function, else DescriptionError X101 to X107, UsageError X005, X006.

        Parameters
        ----------
        parameters, results, tables
            Where each parameter, result and table of the program lies: a symbol, and bytes behind it.
        work : str
            Symbol of the object for arrays and words between parts.
        words : int
            So many words of an innermost loop stay in registers from iteration to iteration, three at most.
        """

    @property
    def straight(self) -> bool:
        """Whether it is one part without loops."""

    @property
    def work(self) -> int:
        """Bytes of arrays and words between parts."""

    @property
    def tables(self) -> list[int]:
        """The numbers of the tables that it looks up, ascending."""

    def parts(self) -> list[X86Part]:
        """Return the parts in the order of the text; equal ones at every call."""

    def text(
        self, placed: Sequence[X86Allocation], spill: str, label: str
    ) -> tuple[list[str], list[list[tuple[int, int]]], int]:
        """Return the lines of parts that have registers, of each its places, and the bytes of spilled values.

        Places are the number of a file of the program and a line, innermost first.

        Spilled values lie at the symbol ``spill``; labels are ``label`` with the loops' numbers.
        """

@final
class X86Part:
    """Straight-line code of a function; never changes."""

    @property
    def runs(self) -> int:
        """How often it runs."""

    @property
    def iterations(self) -> int:
        """How many iterations its cycles are counted for: more than one for the whole body of a loop."""

    def steps(self, forms: X86Forms, limits: str, load: int) -> X86Steps:
        """Return its steps on a processor, of limits (JSON) and a latency of loads in cycles."""

@final
class X86Steps:
    """Steps that want an order and registers; never changes."""

    @property
    def identity(self) -> str:
        """A text that is the same as long as the steps are."""

    def allows(self, order: Sequence[int]) -> bool:
        """Whether an order has each step once, and keeps what comes first."""

    def greedy(self) -> list[int]:
        """Return an order in which few values are alive."""

    def fit(self, order: Sequence[int]) -> X86Allocation:
        """Return the instructions of a legal order."""

    def improve(self, order: Sequence[int], moves: int, reach: int, seed: int) -> list[int]:
        """Search an order of fewer cycles from a legal one."""

@final
class X86Allocation:
    """Instructions with registers; never changes."""

    @property
    def cycles(self) -> int:
        """Cycles of all counted iterations if every access hits."""

    @property
    def operations(self) -> int:
        """Micro-operations of all counted iterations."""

@final
class X86Code:
    """Instructions and labels of x86-32 read from text; never changes."""

    @staticmethod
    def parse(lines: Sequence[str], forms: X86Forms) -> X86Code:
        """Read lines, else DescriptionError X201 (unknown instruction), X203 (branch forward)."""

    def __len__(self) -> int:
        """How many instructions there are."""

    def labels(self) -> dict[str, int]:
        """Return labels with their places among the instructions."""

    def lengths(self) -> list[int]:
        """Return the bytes of each instruction."""

    def execute(
        self, memories: Sequence[bytes], symbols: Mapping[str, int], base: int
    ) -> tuple[list[int], list[list[int]], list[bytes]]:
        """Execute the instructions for each of several memories, which begin at the address ``base``.

        Returns the place of each instruction that ran, of each memory the address of each access (0 where
        there is none), and the memories as they are left; else DescriptionError X202 (an access outside of
        the memory), X204 (a branch that memories take differently), X205 (an unknown symbol).
        """

    def simulate(
        self,
        forms: X86Forms,
        limits: str,
        load: int,
        order: Sequence[int],
        addresses: Sequence[Sequence[int]],
    ) -> list[MicroOpsRun]:
        """Run the instructions on a processor in an order, once for each list of addresses.

        ``limits`` are JSON, ``load`` cycles; else DescriptionError M300.
        """

    def profile(
        self, forms: X86Forms, limits: str, load: int, order: Sequence[int], addresses: Sequence[int]
    ) -> list[tuple[int, float, int | None]]:
        """Return of each instruction its executions, its share of the cycles, when it retires first.

        A cycle, and those before it in which nothing retires, is divided among the micro-operations that
        retire in it. Otherwise as `simulate`.
        """

@final
class RoundKeys:
    """A program's round keys, and the orders in which they can be made and used; never changes."""

    def __init__(self, program: Program) -> None:
        """Look at a program with a key schedule and operations on blocks, without calls.

        Raises UsageError P203: it has no key schedule.
        """

    @property
    def rows(self) -> int:
        """Rows of round keys."""

    @property
    def row(self) -> int:
        """Bytes of a row of round keys."""

    @property
    def bytes(self) -> int:
        """Bytes of all round keys."""

    @property
    def searches(self) -> bool:
        """Whether the key schedule has an array of its own whose places depend on the key.

        Then its parts have no order of their own: all of it runs before the first round key is used.
        """

    def on_the_fly(self, operation: str) -> EventOrder | None:
        """Return key schedule and operation in the order of need, if few round keys are alive at once.

        This method and those below raise UsageError P203 (there is no such operation) and DescriptionError
        E156 (round keys are uneven copies).
        """

    def portions(self, operation: str) -> list[int]:
        """Return numbers of rows of round keys worth keeping where others are made again."""

    def again(self, operation: str, rows: int) -> EventOrder | None:
        """Return both where so many rows of round keys are kept and the schedule begins anew for others."""

    def fill(self) -> tuple[Program, list[int]] | None:
        """Return the key schedule as the function ``fill``, and each row's number; None if it reads them."""

    def window_calls(self, operation: str, rows: int) -> int | None:
        """Return how often ``fill`` is run if it makes so many rows at a time."""

    def windowed(self, operation: str, rows: int) -> StepProgram | None:
        """Return an operation as steps that read rows of one window each, with ``fill``, if it can be so."""

@final
class EventOrder:
    """Key schedule and operation as events in an order; never changes."""

    @property
    def runs(self) -> int:
        """How often the key schedule begins."""

    def function(self) -> Program | None:
        """Return them as one function of key and block, what repeats as loops, if it can be so."""

    def steps(self, *, fine: bool = False, single: bool = False) -> StepProgram | None:
        """Return them as functions that are called one after the other, if they have this form.

        A function ends with each iteration of the operation's loops; ``fine``: with changes between
        recurrences of the key schedule as well; ``single``: with each of their iterations, which are given
        the rows of arrays.
        """

@final
class StepProgram:
    """Functions that are called one after the other; never changes."""

    @property
    def program(self) -> Program:
        """The functions."""

    def calls(self) -> list[tuple[str, int | None, list[tuple[str, int]]]]:
        """Return of each call the function, the first row of its window if it reads one, numbers by name."""

    def places(self) -> list[tuple[str, list[tuple[str, int | None]], list[tuple[str, int | None]]]]:
        """Return of each function what its parameters and its results are, and how many rows are kept.

        ``key``, ``block``, ``window``, ``kept1`` … (round keys beside the window), ``state`` (words between
        calls), the name of a number, or that of another array with ``%``; None: all rows.
        """

@final
class Microcontroller:
    """The instruction set of a microcontroller: records, registers, how code is written; never changes."""

    @staticmethod
    def parse(text: str, file: str) -> Microcontroller:
        """Read the records of a file (TOML); ``file`` names it in errors.

        Raises DescriptionError, E134: something in the file is wrong.
        """

    def cost(self, line: str) -> tuple[int, int]:
        """Return cycles (branches not taken) and bytes of a line of assembly text.

        Raises DescriptionError, E131: no record fits it.
        """

    def lower(
        self,
        program: Program,
        function: str,
        places: Mapping[str, str],
        *,
        name: str,
        tables: str = "",
        near: Sequence[str] | None = None,
        internal: Sequence[str] | None = None,
        small: bool = False,
        window: tuple[str, str, int, Sequence[int]] | None = None,
    ) -> Code:
        """Return a function of bytes, as ``split-words`` makes them, as instructions on values and loops.

        ``places`` are the objects of parameters (``%name``) and results (``#0``, …), ``name`` is what the
        code is called, ``tables`` the memory of tables where there are several. Short or direct addresses
        reach objects whose names end with one of ``near``; where the allocator makes addresses, others are in
        internal memory if their names have one of ``internal`` in them, and ``small`` says that addresses are
        bytes whatever the sizes. ``window``: an object of which only some rows are kept, the byte that holds
        the number of the first one, how many there are, the number of each row.

        Raises UsageError, P203: the program has no such function; DescriptionError, E101 to E115: something
        of it is not made yet.
        """

    def allocate(
        self,
        code: Code,
        *,
        block: str = "",
        shared: str = "",
        most: int | None = None,
        short: int | None = None,
        room: tuple[int, int] = (0, 0),
        search: bool = True,
    ) -> Allocation:
        """Give code registers and memory: the best of several orders, or (``search`` false) as it is written.

        ``block`` is the object that is loaded first and stored last, ``shared`` (default: the block) the one
        in which values may stand while it is not needed. ``most`` bytes for values are a limit that goes
        before cycles where it can be kept; ``short`` bytes of them have short addresses. ``room``: bytes of
        memory that are registers, those of direct addresses and those behind pointers.

        Raises DescriptionError, E109, E114: the code cannot have registers; E131: a line of it is none.
        """

@final
class Code:
    """Code that has no registers yet; never changes."""

    @property
    def least_bytes(self) -> int:
        """Bytes that it takes at least, whatever its registers."""

    @property
    def name(self) -> str:
        """Its name."""

    @property
    def straight(self) -> bool:
        """Whether it has no loops."""

    @property
    def tables(self) -> dict[str, bytes]:
        """The bytes of the tables that it reads, by name."""

    @property
    def objects(self) -> dict[str, int]:
        """The bytes of the objects that it needs besides those that it was given, by name."""

@final
class Allocation:
    """Code that has registers; never changes."""

    @property
    def over(self) -> int:
        """By how many bytes it passes the limit, or the memory that there is."""

    @property
    def cycles(self) -> int:
        """About how many cycles it takes: branches count as not taken."""

    @property
    def slots(self) -> int:
        """Bytes of memory for values without registers; of external memory where bytes are registers."""

    @property
    def bytes(self) -> int:
        """Bytes of memory that are registers, besides those with names."""

    def lines(self) -> list[str]:
        """Return the lines as the allocator wrote them."""

    def function(self, pack: str | None = None, *, inner: bool = False) -> tuple[MachineFunction, int]:
        """Return the function, and the bytes of memory that its values take.

        With an object ``pack`` values that are not needed at the same time share bytes, those of this object
        among them. An inner function is called by one that saves the registers for it.
        """

@final
class MachineFunction:
    """A function in machine instructions, from its label through its return; never changes."""

    @property
    def name(self) -> str:
        """Its name."""

    @property
    def cycles(self) -> int:
        """About how many cycles it takes: branches count as not taken."""

    def renamed(self, objects: Mapping[str, tuple[str, int]]) -> MachineFunction:
        """Return it with other objects in addresses: of each the other one, and where in it it begins."""

    def text(self) -> list[str]:
        """Return its text, with branches that reach: labels begin lines, everything else has a tab before."""

    def costs(self) -> list[tuple[int, int, list[tuple[int, int]]]]:
        """Return of each line of its text how often it runs, its cycles, and the places that it comes from.

        Cycles are those of one execution, branches as not taken; 0: it is no instruction. Places are the
        number of a file of the program and a line, innermost first.
        """

    def bytes(self) -> int:
        """Return the bytes of its code."""

@final
class BudgetCandidates:
    """Code of a program within a budget of RAM that may be the fastest; each is made when it is asked for.

    The methods raise what passes and the selection of instructions refuse, and DescriptionError E156.
    """

    def __init__(
        self,
        isa: Microcontroller,
        program: Program,
        keys: RoundKeys,
        prefix: str,
        budget: int,
        *,
        unrolled: Sequence[str],
        looped: Sequence[str],
        circuits: Sequence[tuple[str, str]],
    ) -> None:
        """Look at a program.

        ``prefix`` is what names begin with, ``budget`` bytes of RAM, ``unrolled`` and ``looped`` the passes
        that split a program into bytes. DescriptionError E135: the instruction set says nothing of budgets.
        """

    @property
    def block(self) -> int:
        """Bytes of the block."""

    def kept(self, *, shared: bool = False) -> list[BudgetCandidate]:
        """Return those with all round keys kept; ``shared``: the block lies in the key's bytes."""

    def on_the_fly(self, operation: str) -> list[BudgetCandidate]:
        """Return those that make each round key where it is needed, in one function."""

    def in_steps(self, operation: str) -> list[BudgetCandidate]:
        """Return those that do so in steps that are called one after the other."""

    def again(self, operation: str, *, always: bool = False) -> list[BudgetCandidate]:
        """Return those whose key schedule runs again; ``always``: even where an operation has others."""

    def window(self, operation: str, rows: int) -> BudgetCandidate | None:
        """Return the one that makes so many rows of round keys at a time; None if registers are too few."""

@final
class BudgetCandidate:
    """Code of one operation, or of all; never changes."""

    @property
    def name(self) -> str:
        """What it is called."""

    @property
    def runs(self) -> int:
        """How often the key schedule runs."""

    @property
    def window(self) -> int:
        """Rows of round keys that are made at once; 0 if there is no window."""

    @property
    def text(self) -> BudgetText:
        """The code."""

@final
class BudgetText:
    """Functions, objects in RAM and tables before they are written; never changes."""

    def __init__(
        self,
        isa: Microcontroller,
        functions: Sequence[MachineFunction],
        objects: Mapping[str, int],
        *,
        inside: Mapping[str, str] = ...,
        tables: Mapping[str, bytes] = ...,
    ) -> None:
        """Put functions, bytes of objects and tables together; ``inside``: objects in the bytes of others."""

    @property
    def functions(self) -> dict[str, list[str]]:
        """Lines of functions by name, in order, with addresses that reach."""

    @property
    def names(self) -> list[str]:
        """Names of functions."""

    @property
    def objects(self) -> dict[str, int]:
        """Bytes of objects by name."""

    @property
    def tables(self) -> dict[str, bytes]:
        """Bytes of tables by name."""

    @property
    def shares(self) -> bool:
        """Whether an object lies in the bytes of another one."""

    def labels(self, name: str) -> list[str]:
        """Return an object and those in its bytes."""

    @property
    def placement(self) -> tuple[list[str], list[str]] | None:
        """Objects that short addresses reach, and the others; None if they find no room."""

    @property
    def size(self) -> int | None:
        """Bytes of code and tables; None if the objects find no room."""

    @property
    def fits(self) -> bool:
        """Whether there is room for objects, code and tables."""

    def joined(self, other: BudgetText) -> BudgetText:
        """Return both texts as one; what has the same name is the same."""
