"""What a validation found wrong, in Ricordo's words: the same for a body, a setting and a line of a file."""

import re
from typing import Final

from pydantic_core import ErrorDetails

from ricordo.messages.base import ID_PATTERN

_PATTERNS: Final = {ID_PATTERN: "must be 1 to 128 printable ASCII characters without spaces"}
_OWN: Final = {
    "missing": "is required",
    "model_type": "must be a JSON object",
    "model_attributes_type": "must be a JSON object",
    "dict_type": "must be a JSON object",
    "bool_type": "must be true or false",
    "bool_parsing": "must be true or false",
    "int_parsing": "must be a valid integer",
    "float_parsing": "must be a valid number",
    "path_type": "must be a path",
    "uuid_parsing": "must be a valid UUID",
}
"""By the type of pydantic's error, where its own words speak of Python or say more than a person needs."""
_OPENING: Final = re.compile(r"(Input should be|(?:String|Value|Tuple|List|Dictionary) should)\b")


def reason(error: ErrorDetails) -> str:
    """Say what a value must be, without the value, ready to follow its name: `must be greater than 0`.

    Args:
        error: one of those that a `ValidationError` lists.
    """
    if error["type"] == "string_pattern_mismatch":
        pattern = error.get("ctx", {}).get("pattern", "")
        return _PATTERNS.get(pattern, f"must match {pattern}")
    own = _OWN.get(error["type"])
    return own or _reworded(error["msg"])


def _reworded(said: str) -> str:
    text = _OPENING.sub(lambda found: "must be" if found[1].endswith("be") else "must", said, count=1)
    return text.replace(" after validation", "")
