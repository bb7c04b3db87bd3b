"""Kernels for x86-32: two operands, seven registers, bytes within registers, memory operands.

`graph` reads a program's function, `select` makes steps of it, the engine orders them and gives them
registers, `kernel` writes text; `reader` turns text into micro-operations, which the engine simulates, `run`
executes it, `oracle` lets this machine execute it.
"""
