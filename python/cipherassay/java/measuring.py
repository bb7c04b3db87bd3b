"""The time of generated Java, of Bouncy Castle and of the same cipher's C, measured in turns on one core."""

from __future__ import annotations

import ctypes
import json
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from cipherassay.errors import VerificationError
from cipherassay.java.building import (
    CompiledClasses,
    check,
    check_rival,
    compile_classes,
    libraries,
    rivals,
    virtual_machine,
)
from cipherassay.java.emitting import PACKAGE, GeneratedClass, filled, functions
from cipherassay.lang.shapes import BLOCK_OPERATIONS
from cipherassay.native.harness import FOLDER, Operation, operations

if TYPE_CHECKING:
    from cipherassay.ciphers import Cipher

Target = Literal["java-jit", "java-interpreted"]
TARGETS: tuple[Target, ...] = ("java-jit", "java-interpreted")
FLAGS: dict[Target, tuple[str, ...]] = {"java-jit": (), "java-interpreted": ("-Xint",)}
MEANINGS: dict[Target, str] = {
    "java-jit": "with the just-in-time compiler",
    "java-interpreted": "without the just-in-time compiler (-Xint)",
}
OURS, RIVAL = "generated", "rival"
AGREEMENT = 0.05
"""More than this between the least times of two virtual machines: the measurement was disturbed."""
_CALLS = {
    "key_setup_evaluate": ("encrypts.evaluateKey(keys[n])", ""),
    "encrypt": ("encrypts.encrypt(block, 0, block, 0)", "rivalEncrypts.processBlock(block, 0, block, 0)"),
    "decrypt": ("decrypts.decrypt(block, 0, block, 0)", "rivalDecrypts.processBlock(block, 0, block, 0)"),
    "key_setup_encrypt": (
        "encrypts.encryptKey(keys[n])",
        "rivalEncrypts.init(true, new KeyParameter(keys[n]))",
    ),
    "key_setup_decrypt": (
        "decrypts.decryptKey(keys[n])",
        "rivalDecrypts.init(false, new KeyParameter(keys[n]))",
    ),
}


@dataclass(frozen=True)
class Runs:
    """How much JMH measures: virtual machines started, timed iterations of each, milliseconds of one."""

    forks: int = 2
    iterations: int = 40
    milliseconds: int = 10
    warm_up: int = 1000
    """Milliseconds before the first timed iteration, in which the code is compiled."""


@dataclass
class Times:
    """What was measured of one operation: nanoseconds of one call, the least of each virtual machine."""

    operation: Operation
    key_bits: int
    nanoseconds: dict[str, list[float]] = field(default_factory=dict)
    """By implementation, one number for each virtual machine that was started."""
    cycles_per_ns: list[float] = field(default_factory=list)

    @property
    def steady(self) -> bool:
        """Whether the virtual machines of each implementation agree: else something disturbed one of them."""
        return all(max(found) <= (1 + AGREEMENT) * min(found) for found in self.nanoseconds.values())

    def cycles(self, implementation: str) -> float:
        """Return the least time of one call in cycles of the clock found beside it (the fastest seen)."""
        return min(self.nanoseconds[implementation]) * max(self.cycles_per_ns)


@cache
def _clock() -> ctypes.CDLL:
    from cipherassay.tools.compiler import build_shared_library

    sources = {"clock.c": Path(__file__).with_name("clock.c").read_text()}
    sources["timer.h"] = (FOLDER / "timer.h").read_text()
    loaded = ctypes.CDLL(str(build_shared_library("java-clock", sources)))
    loaded.assay_cycles_per_nanosecond.restype = ctypes.c_double
    return loaded


def cycles_per_nanosecond() -> float:
    """Return the clock of the core this runs on: dependent additions, a cycle each, in a nanosecond."""
    return float(_clock().assay_cycles_per_nanosecond())


@dataclass(frozen=True)
class Benchmark:
    """A cipher's class and its rival, compiled with JMH and checked by known answers."""

    cipher: Cipher
    made: GeneratedClass
    built: CompiledClasses
    rival: Mapping[str, str] | None
    answers: int
    left_out: str = ""
    """Why Bouncy Castle's engine is not measured, where there is one."""

    @property
    def implementations(self) -> tuple[str, ...]:
        """Ours, and Bouncy Castle's engine if there is one."""
        return (OURS, RIVAL) if self.rival else (OURS,)

    def measure(
        self,
        operation: Operation,
        key_bits: int,
        target: Target,
        runs: Runs,
        advance: Callable[[float], None] = lambda amount: None,
    ) -> Times:
        """Measure an operation in virtual machines of its own, the implementations in turns.

        Raises
        ------
        ToolError
            ``J002``: the virtual machine fails.
        """
        times = Times(operation, key_bits, {name: [] for name in self.implementations})
        for _ in range(runs.forks):
            for name in self.implementations:
                times.cycles_per_ns.append(cycles_per_nanosecond())
                times.nanoseconds[name].append(min(self._run(f"{name}_{operation}", key_bits, target, runs)))
                times.cycles_per_ns.append(cycles_per_nanosecond())
                advance(1.0)
        return times

    def _run(self, method: str, key_bits: int, target: Target, runs: Runs) -> list[float]:
        result = self.built.folder / "result.json"
        warm = max(1, runs.warm_up // 200) if target == "java-jit" else 1
        self.built.run(
            [
                "org.openjdk.jmh.Main", f"{PACKAGE}.CipherBenchmark.{method}$", "-p", f"keyBits={key_bits}",
                "-f", "1", "-wi", str(warm), "-w", "200ms", "-i", str(runs.iterations),
                "-r", f"{runs.milliseconds}ms", "-foe", "true", "-rf", "json", "-rff", str(result),
                "-jvmArgs", " ".join(("-Xms256m", "-Xmx256m", *FLAGS[target])),
            ],
            flags=("-Djmh.ignoreLock=true",),
        )  # fmt: skip
        ((document,),) = (json.loads(result.read_text()),)
        return [float(value) for fork in document["primaryMetric"]["rawData"] for value in fork]


def prepare(cipher: Cipher, made: GeneratedClass, folder: Path, variant: str = "") -> Benchmark:
    """Compile a cipher's class with JMH and Bouncy Castle's engine, and run the known answers of both.

    An engine whose answers are wrong is left out.

    Raises
    ------
    ToolError
        ``T002``, ``J002``, ``J003``: no JDK, no Maven, or one of them fails.
    VerificationError
        ``J010``: the class gives a wrong answer.
    """
    rival = rivals().get(cipher.slug) if not variant else None
    values: dict[str, Any] = {"package": PACKAGE, "name": made.name, "rival": rival}
    values["operations"] = [(one, *_calls(made, one, cipher)) for one in operations(cipher)]
    values |= functions(cipher)
    sources = {
        f"{made.name}.java": made.text,
        "Check.java": filled("Check.java", values),
        "CipherBenchmark.java": filled("CipherBenchmark.java", values),
    }
    built = compile_classes(sources, folder, libraries())
    answers, left_out = check(cipher, made, built, variant), ""
    if rival:
        try:
            check_rival(built, rival["engine"])
        except VerificationError as error:
            rival, left_out = None, error.message
    return Benchmark(cipher, made, built, rival, answers, left_out)


def _calls(made: GeneratedClass, operation: Operation, cipher: Cipher) -> tuple[str, str]:
    """Return the calls of an operation: ours, which is static where there is no key, and the engine's."""
    if operation == "evaluate" and cipher.keyed:
        return "encrypts.evaluate(block, 0, block, 0)", ""
    if operation in BLOCK_OPERATIONS and cipher.tweak_bytes:
        return f"{operation}s.{operation}(tweak, 0, block, 0, block, 0)", ""
    return _CALLS.get(operation) or (f"{made.name}.{operation}(block, 0, block, 0)", "")


def tools_of(benchmark: Benchmark) -> str:
    """Return what measured: the virtual machine and JMH."""
    from cipherassay.java.building import JMH

    return f"{virtual_machine()}; JMH {JMH}"


def in_folder() -> tempfile.TemporaryDirectory[str]:
    """Return a temporary folder for a benchmark."""
    return tempfile.TemporaryDirectory(prefix="assay-java-")
