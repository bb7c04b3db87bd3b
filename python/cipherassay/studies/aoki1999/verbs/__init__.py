"""The verbs of the study."""
