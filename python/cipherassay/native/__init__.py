"""Generated code on this machine: compiled, loaded, checked, and its cycles measured."""
