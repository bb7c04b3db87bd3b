"""The sections of the report on the paper."""
