"""A device as files: test benches and vectors beside its modules, a README, pictures, a notebook."""
