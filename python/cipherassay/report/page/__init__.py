"""The page and the files beside it: written as HTML, Markdown, CSV, LaTeX, only where something changed."""
