"""Documents: storing their bytes, and reading their text."""
