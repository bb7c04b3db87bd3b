"""Functions that C can call, made from kernels, for every instruction set whose file has `[abi]`."""
