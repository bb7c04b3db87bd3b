"""Devices simulated: vectors, test benches, simulators, what their events and waves say."""
