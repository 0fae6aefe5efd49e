"""Speed and size of Ricordo on this machine.

Each benchmark drives the system that `ricordo up` runs, from outside, as a bot would; but for those of the
embedding model and of the analyser, which are measured alone. Figures that depend on the machine come with a
ratio that does not.
"""
