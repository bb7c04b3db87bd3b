"""Devices from ciphers: what is asked for, the strategies, the round that is drawn."""
