"""What a page consists of: tables, figures, galleries, sections."""
