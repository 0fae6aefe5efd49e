"""The composition root: settings become resources (`resources`), resources become workers and jobs (here)."""

from ricordo_services.wiring.held import users_held
from ricordo_services.wiring.jobs import prepare, run_backfill, run_reindex
from ricordo_services.wiring.passes import PASSES, run_pass
from ricordo_services.wiring.restoring import restoring
from ricordo_services.wiring.workers import WORKERS, UnknownWorker, run_workers

__all__ = [
    "PASSES",
    "WORKERS",
    "UnknownWorker",
    "prepare",
    "restoring",
    "run_backfill",
    "run_pass",
    "run_reindex",
    "run_workers",
    "users_held",
]
