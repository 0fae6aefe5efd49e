"""Patterns of a user's way of talking: from counts over the last messages to habits with a confidence."""

from ricordo.domain.patterns.habits import LEAST_MESSAGES, Pattern, patterns
from ricordo.domain.patterns.manners import Manners, manners
from ricordo.domain.patterns.talk import Talk, TopicCount
from ricordo.domain.patterns.telling import told

__all__ = ["LEAST_MESSAGES", "Manners", "Pattern", "Talk", "TopicCount", "manners", "patterns", "told"]
