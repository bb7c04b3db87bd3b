"""The report: measured rows beside the published ones, as one page that opens offline, and as files."""
