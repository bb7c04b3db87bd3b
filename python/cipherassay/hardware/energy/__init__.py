"""Energy of a device: what moves in its netlist, and what that takes."""
