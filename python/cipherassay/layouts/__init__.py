"""An S-box layer with the linear layer behind it, as tables of words: found, searched, checked, written."""

from __future__ import annotations

from cipherassay.layouts.layers import Layer, find
from cipherassay.layouts.layout import Cost, Layout, Step, Table
from cipherassay.layouts.searching import FAMILIES, Effort, LayoutFront, search

__all__ = ["FAMILIES", "Cost", "Effort", "LayoutFront", "Layer", "Layout", "Step", "Table", "find", "search"]
