"""Speed and size of Ricordo on this machine.

Each benchmark drives the system that `ricordo up` runs, from outside, as a bot would; but for that of the
embedding model, which is measured alone. Figures that depend on the machine come with a ratio that does not.
"""
