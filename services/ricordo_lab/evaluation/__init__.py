"""Measures the quality of what is derived and recalled on data sets, and fits weights and heads on them."""
