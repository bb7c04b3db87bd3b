"""Delays and clock periods: by OpenSTA or by static timing of our own; timing repair; hold."""
