"""Measures the speed and size of Ricordo on this machine.

Most benchmarks drive the system that `ricordo up` runs, from outside, as a bot would; the others measure a
part alone, such as the embedding model or its batcher. Figures that depend on the machine come with a ratio
that does not.
"""
