"""retrieval: what was said, what is known, and what a question brings back to mind."""
