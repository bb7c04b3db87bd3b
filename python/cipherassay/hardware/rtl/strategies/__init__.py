"""Hardware strategies, one file each: passes before a cipher is cut into clocks, and where the cuts are."""
