"""Addressing modes for table look-ups (Fiskiran and Lee, Princeton, 2001): for any cipher, and their fit."""
