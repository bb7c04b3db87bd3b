"""Devices on field-programmable gate arrays: look-up tables, place and route, rows."""
