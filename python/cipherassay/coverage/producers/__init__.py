"""The levels, a module for each producer."""
