"""Documents: storing their bytes, and reading text out of them."""
