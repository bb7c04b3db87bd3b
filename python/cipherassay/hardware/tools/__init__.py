"""Outside programs of the hardware part, and the cache of what they made."""
