"""Java: a cipher as a class with its tests, built and measured on the virtual machine that is installed."""
