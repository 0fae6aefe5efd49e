"""Laughter, as people write it in any language."""

import re
from typing import Final

LAUGHTER: Final = re.compile(
    r"[aeiou]*(?:h+[aeiou]+){2,}h*|[aeiou]*h+[aeiou]+h+|lo+l|lmao|rofl", re.IGNORECASE
)
"""A word that is nothing else. Parts that stand beside each other share no letter: it is read in one way."""
