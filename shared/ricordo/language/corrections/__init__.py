"""Corrections of what was said: how they are recognised, and what they correct."""

from ricordo.language.corrections.linking import REACH, Said, concerns, corrected_by
from ricordo.language.corrections.reading import Correction, denied_pattern, read_correction, without_lead
from ricordo.language.corrections.replacement import put_right

__all__ = [
    "REACH",
    "Correction",
    "Said",
    "concerns",
    "corrected_by",
    "denied_pattern",
    "put_right",
    "read_correction",
    "without_lead",
]
