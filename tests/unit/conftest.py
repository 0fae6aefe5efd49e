"""How Hypothesis runs here: examples have no deadline, since a busy machine is no defect."""

from hypothesis import settings

settings.register_profile("ricordo", deadline=None)
settings.load_profile("ricordo")
