"""Fixtures that all tests share, and how they run."""

import signal

from hypothesis import settings

pytest_plugins = ["tests.fixtures.stack"]

settings.register_profile("ricordo", deadline=None)  # a busy machine is no defect
settings.load_profile("ricordo")

# A shell has its background jobs ignore interrupts, and so would the processes that these tests interrupt.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
