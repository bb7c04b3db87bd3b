"""The protocol of a device: assertions from what its pins' documentation says, and their proofs."""
