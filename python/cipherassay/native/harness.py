"""The compiled measuring loop (harness/), called from Python."""

from __future__ import annotations

import ctypes
import hashlib
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from cipherassay.lang.shapes import BLOCK_OPERATIONS, direction_of
from cipherassay.tools.compiler import build_shared_library

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from cipherassay.ciphers import Cipher
    from cipherassay.native.loaded import LoadedCipher

FOLDER = Path(__file__).with_name("harness")

Operation = Literal[
    "key_setup_encrypt", "key_setup_decrypt", "encrypt", "decrypt", "permute", "inverse",
    "key_setup_evaluate", "evaluate",
]  # fmt: skip
OPERATIONS: tuple[Operation, ...] = ("key_setup_encrypt", "key_setup_decrypt", "encrypt", "decrypt")
"""Those of a cipher, as harness.c numbers them."""
PERMUTATIONS: tuple[Operation, ...] = ("permute", "inverse")
"""Those of a permutation; to harness.c they are ``encrypt`` and ``decrypt`` without a key."""
FUNCTIONS: tuple[Operation, ...] = ("key_setup_evaluate", "evaluate")
"""Those of a function; to harness.c they are ``key_setup_encrypt`` and ``encrypt``."""
Dependence = Literal["chained", "repeated"]
DEPENDENCES: tuple[Dependence, ...] = ("chained", "repeated")

ChainMode = Literal["ecb", "cbc_encrypt", "cbc_decrypt"]
_CHAIN_MODES: tuple[ChainMode, ...] = ("ecb", "cbc_encrypt", "cbc_decrypt")


def operations(cipher: Cipher) -> tuple[Operation, ...]:
    """Return the operations of a cipher."""
    every = (*OPERATIONS, *PERMUTATIONS, *FUNCTIONS[not cipher.keyed :])
    return tuple(one for one in every if direction_of(one) in cipher.directions)


def number(operation: Operation) -> int:
    """Return the number of an operation in harness.c."""
    if operation in FUNCTIONS:
        return OPERATIONS.index(("key_setup_encrypt", "encrypt")[FUNCTIONS.index(operation)])
    if operation in PERMUTATIONS:
        return OPERATIONS.index("encrypt") + PERMUTATIONS.index(operation)
    return OPERATIONS.index(operation)


class Task(ctypes.Structure):
    """``struct assay_task``: what to run, on which context, how often."""

    _fields_ = (
        ("cipher", ctypes.c_void_p),
        ("ctx", ctypes.c_void_p),
        ("key_bits", ctypes.c_uint64),
        ("operation", ctypes.c_uint32),
        ("dependence", ctypes.c_uint32),
        ("chain", ctypes.c_uint32),
        ("repeats", ctypes.c_uint32),
    )


def _sources() -> dict[str, str]:
    files = sorted(path for path in FOLDER.iterdir() if path.suffix in (".c", ".h"))
    return {path.name: path.read_text(encoding="utf-8") for path in files}


@cache
def source_digest() -> str:
    """Return the content hash of the measuring loop."""
    return hashlib.sha256(repr(sorted(_sources().items())).encode()).hexdigest()


def crowding() -> int:
    """Return the ticks of many additions side by side: more when a neighbour shares the core."""
    return int(library().assay_crowding())


@cache
def library() -> ctypes.CDLL:
    """Compile and load the measuring loop.

    Raises
    ------
    ToolError
        There is no C compiler, or it fails.
    """
    loaded = ctypes.CDLL(str(build_shared_library("harness", _sources())))
    pointer, size = ctypes.c_void_p, ctypes.c_size_t
    loaded.assay_calibrate.restype = ctypes.c_uint64
    loaded.assay_crowding.restype = ctypes.c_uint64
    loaded.assay_calibration_adds.restype = ctypes.c_uint64
    loaded.assay_cycles_open.restype = ctypes.c_int
    loaded.assay_measure.argtypes = (ctypes.POINTER(Task), pointer, size, pointer)
    loaded.assay_measure.restype = None
    loaded.assay_blocks.argtypes = (pointer, pointer, size, pointer, pointer, size)
    loaded.assay_blocks.restype = None
    loaded.assay_chain.argtypes = (
        pointer, pointer, size, ctypes.c_int, pointer, pointer, size, pointer, pointer,
    )  # fmt: skip
    loaded.assay_chain.restype = None
    return loaded


def calibration_adds() -> int:
    """Return how many dependent additions, so many cycles, one calibration times."""
    return int(library().assay_calibration_adds())


def calibrate() -> int:
    """Return the ticks of one calibration: the least of a few tries."""
    return int(library().assay_calibrate())


def measure_samples(
    cipher: LoadedCipher,
    context: int,
    operation: Operation,
    inputs: bytes,
    *,
    key_bits: int,
    chain: int,
    repeats: int,
    dependence: Dependence = "chained",
) -> NDArray[np.uint64]:
    """Measure each input in turn; shape (inputs, 5), in ticks.

    The columns: the shortest run, the calibrations before and after, the crowding before and after.

    `context` is the address of a context; for blocks it holds the key already. `inputs` are blocks, or
    keys of `key_bits` bits, one after the other. The ticks are those of `chain` calls.
    """
    import numpy as np

    task = Task(
        cipher.address,
        context,
        key_bits,
        number(operation),
        DEPENDENCES.index(dependence),
        chain,
        repeats,
    )
    stride = cipher.block_bytes if operation in BLOCK_OPERATIONS else key_bits // 8
    samples = np.zeros((len(inputs) // stride, 5), dtype=np.uint64)
    library().assay_measure(ctypes.byref(task), inputs, len(samples), samples.ctypes.data)
    return samples
