"""Benchmarks and evaluations: they measure Ricordo and fit its weights, and are no part of the product."""
