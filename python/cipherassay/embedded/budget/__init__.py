"""Budgets of RAM: programs whose round keys are made where they are needed, and the choice among them."""
