"""Patterns of a user's way of talking: from counts over the last messages to habits with a confidence."""

from ricordo.memory.style.habits import LEAST_MESSAGES, Pattern, patterns
from ricordo.memory.style.manners import Manners, manners
from ricordo.memory.style.talk import Talk, TopicCount
from ricordo.memory.style.telling import told

__all__ = ["LEAST_MESSAGES", "Manners", "Pattern", "Talk", "TopicCount", "manners", "patterns", "told"]
