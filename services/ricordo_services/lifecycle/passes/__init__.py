"""Lifecycle's passes over what is stored."""

from ricordo_services.lifecycle.passes.archive import Archive
from ricordo_services.lifecycle.passes.compress import Compress
from ricordo_services.lifecycle.passes.decay import Decay
from ricordo_services.lifecycle.passes.expire import Expire
from ricordo_services.lifecycle.passes.frame import Pass, Work
from ricordo_services.lifecycle.passes.reconcile import Reconcile, tidy
from ricordo_services.lifecycle.passes.retain import Retain
from ricordo_services.lifecycle.passes.slices import IsolatedItems, Slice

__all__ = [
    "Archive",
    "Compress",
    "Decay",
    "Expire",
    "IsolatedItems",
    "Pass",
    "Reconcile",
    "Retain",
    "Slice",
    "Work",
    "tidy",
]
