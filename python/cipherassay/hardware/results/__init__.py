"""What synthesis found of a device: documents, rows, what is kept of them in the package."""
