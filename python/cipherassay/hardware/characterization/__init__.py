"""Technologies characterized: cells simulated from netlists and device models of packages, made into Liberty.

A technology's file names the packages (`recipe`); `packages` fetches them, `netlists` and `models` read what
a simulation needs, `simulator` runs ngspice, `gates` and `states` say what is simulated, `library` writes it.
"""
