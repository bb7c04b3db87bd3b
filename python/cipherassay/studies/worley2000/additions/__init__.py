"""What the study adds to sections of the report."""
