"""How many messages it takes to overturn what others have said."""

from typing import Final

from ricordo.language.facts.vocabulary import PREDICATES

FIRM: Final = 5
"""Distinct messages from which a lone contradicting one disputes a fact and does not overturn it."""

FIRM_TASTE: Final = 3
"""The same of a preference of which a message says the opposite: a mood is soon put in words, and nobody
moves to another taste as one does to another city. It is the confidence from which facts surface."""

OVERTURNING: Final = 2
"""Distinct contradicting messages that overturn a firm fact."""


def withstands(predicate: str, messages: int, against: int, *, opposite: bool) -> bool:
    """Tell whether a value of `predicate` stands although messages contradict it.

    Args:
        predicate: a name of the closed vocabulary.
        messages: distinct ones that support it.
        against: distinct ones that contradict it, >= 1.
        opposite: whether these say something else of it, and not only that it is over.
    """
    taste = opposite and PREDICATES[predicate].opposite is not None
    return messages >= (FIRM_TASTE if taste else FIRM) and against < OVERTURNING
