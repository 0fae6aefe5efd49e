"""Expressions of time: what the grammar reads, and the window that the words mean at a moment."""
