"""Technologies and their Liberty files: read, generated, written, mended."""
