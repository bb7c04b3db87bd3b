"""Hardware from the program: technologies, synthesis, timing, simulation of designs."""
