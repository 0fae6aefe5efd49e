"""Benchmarks and evaluations: how Ricordo is measured and its weights are fitted."""
