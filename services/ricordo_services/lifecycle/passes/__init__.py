"""Lifecycle's passes over what is stored."""

from ricordo_services.lifecycle.passes.archive_pass import ArchivePass
from ricordo_services.lifecycle.passes.compression_pass import CompressionPass
from ricordo_services.lifecycle.passes.decay_pass import DecayPass
from ricordo_services.lifecycle.passes.expiry_pass import ExpiryPass
from ricordo_services.lifecycle.passes.pass_runner import PassRunner, PassWork
from ricordo_services.lifecycle.passes.reconciliation import Reconciliation, tidy
from ricordo_services.lifecycle.passes.retention_pass import RetentionPass
from ricordo_services.lifecycle.passes.slices import IsolatedItems, Slice

__all__ = [
    "ArchivePass",
    "CompressionPass",
    "DecayPass",
    "ExpiryPass",
    "IsolatedItems",
    "PassRunner",
    "PassWork",
    "Reconciliation",
    "RetentionPass",
    "Slice",
    "tidy",
]
