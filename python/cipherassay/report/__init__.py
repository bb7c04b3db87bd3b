"""The report: measured rows beside the published ones, as pages that open offline, and as files."""
