"""What makes a layout count: it equals the layer and costs what it says. No code of the search is used."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from cipherassay.errors import VerificationError
from cipherassay.layouts.emitting import function_name, source
from cipherassay.layouts.layers import Layer
from cipherassay.layouts.layout import Layout
from cipherassay.tools.compiler import build_shared_library

RANDOM_INPUTS = 4096


def inputs(layer: Layer) -> NDArray[np.uint8]:
    """Return every value of every byte with the others at zero, then random inputs, always the same."""
    single = np.zeros((layer.inputs, 256, layer.inputs), np.uint8)
    for column in range(layer.inputs):
        single[column, :, column] = np.arange(256)
    random = np.random.default_rng(1).integers(0, 256, (RANDOM_INPUTS, layer.inputs), np.uint8)
    return np.concatenate([single.reshape(-1, layer.inputs), random])


def check(layer: Layer, layout: Layout) -> None:
    """Evaluate a layout against the layer's plain meaning and count its cost anew.

    Raises
    ------
    VerificationError
        ``L401``: another result; ``L402``: another cost.
    """
    x = inputs(layer)
    compare(layer, layout, x, layout.evaluate(layer, x), "evaluated")
    counted = layout.counted(layer)
    if counted != layout.cost:
        raise VerificationError(
            "L402",
            f"the layout `{layout.name}` does not cost what it says",
            notes=[f"counted from its steps: {counted}"],
        )


def check_compiled(layer: Layer, layouts: Sequence[Layout], names: Sequence[str]) -> None:
    """Compile the C of layouts and compare what it computes with the layer's plain meaning.

    Raises
    ------
    ToolError
        ``N002`` to ``N004``: there is no compiler, or it fails.
    VerificationError
        ``L401``: another result.
    """
    sources = {f"{name}.c": source(layer, one, name) for name, one in zip(names, layouts, strict=True)}
    sources["many.c"] = _loops(names)
    library = ctypes.CDLL(str(build_shared_library("layouts", sources)))
    x = np.ascontiguousarray(inputs(layer))
    for name, layout in zip(names, layouts, strict=True):
        y = np.zeros((len(x), layer.outputs), np.uint8)
        pointers = (x.ctypes.data_as(ctypes.c_void_p), y.ctypes.data_as(ctypes.c_void_p))
        sizes = (ctypes.c_size_t(len(x)), ctypes.c_size_t(layer.inputs), ctypes.c_size_t(layer.outputs))
        getattr(library, f"many_{function_name(name)}")(*pointers, *sizes)
        compare(layer, layout, x, y, "compiled")


def _loops(names: Sequence[str]) -> str:
    lines = ["#include <stddef.h>", "#include <stdint.h>"]
    for name in map(function_name, names):
        lines += [
            f"void {name}(const uint8_t *x, uint8_t *y);",
            f"void many_{name}(const uint8_t *x, uint8_t *y, size_t n, size_t inputs, size_t outputs)",
            f"{{ for (size_t i = 0; i < n; i++) {name}(x + i * inputs, y + i * outputs); }}",
        ]
    return "\n".join(lines) + "\n"


def compare(layer: Layer, layout: Layout, x: NDArray[np.uint8], found: NDArray[np.uint8], how: str) -> None:
    """Compare what a layout gave for inputs with the layer's plain meaning; `how` it was made to give it.

    Raises
    ------
    VerificationError
        ``L401``: another result.
    """
    wrong = np.argwhere(found != layer.compute(x))
    if len(wrong):
        n, byte = (int(number) for number in wrong[0])
        raise VerificationError(
            "L401",
            f"the layout `{layout.name}`, {how}, differs from the layer in byte {byte}",
            notes=[f"input {x[n].tobytes().hex()}", f"expected {layer.compute(x[n : n + 1]).tobytes().hex()}"]
            + [f"found {found[n].tobytes().hex()}"],
        )
