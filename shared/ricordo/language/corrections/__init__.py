"""Recognises corrections and finds the messages that they correct."""

from ricordo.language.corrections.corrected_messages import REACH, UserMessage, concerns, corrected_by
from ricordo.language.corrections.correction_parsing import denied_pattern, read_correction
from ricordo.language.corrections.replacement import apply_correction

__all__ = [
    "REACH",
    "UserMessage",
    "apply_correction",
    "concerns",
    "corrected_by",
    "denied_pattern",
    "read_correction",
]
