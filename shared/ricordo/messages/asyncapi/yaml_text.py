"""JSON values as YAML that is read with ease.

A library would do it, too, but messages load none besides pydantic: a bot imports them.
"""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Final

from pydantic import JsonValue

# What a YAML reader of any version takes for this very text: ASCII that begins harmlessly, has no #, and no
# colon before a space or at the end.
_PLAIN: Final = re.compile(r"[A-Za-z$](?:[^:#\x00-\x1f\x7f-\U0010ffff]|:(?=[^ ]))*(?<! )")
_WORDS: Final = frozenset("true false yes no on off null y n".split())


def yaml_text(value: JsonValue) -> str:
    """Return `value` as a YAML document in block style, the same for the same value.

    Raises:
        ValueError: a number that JSON has no sign for.
    """
    return "\n".join(_block(value)) + "\n"


def _block(value: JsonValue) -> list[str]:
    if isinstance(value, Mapping) and value:
        return [line for key, item in value.items() for line in _entry(f"{_scalar(key)}:", item)]
    if isinstance(value, Sequence) and not isinstance(value, str) and value:
        return [
            _indented(line) if at else f"- {line}" for item in value for at, line in enumerate(_block(item))
        ]
    return [_scalar(value)]


def _entry(head: str, value: JsonValue) -> list[str]:
    if isinstance(value, str) and _is_prose(value):
        return [f"{head} |-", *map(_indented, value.split("\n"))]
    lines = _block(value)
    if isinstance(value, Mapping | list) and value:
        return [head, *map(_indented, lines)]
    return [f"{head} {lines[0]}"]


def _indented(line: str) -> str:
    return f"  {line}" if line else line


def _is_prose(text: str) -> bool:
    """Whether `text` has several lines, none of which a reader would change."""
    lines = text.split("\n")
    whole = all(line.isprintable() and line == line.rstrip() for line in lines)
    return len(lines) > 1 and whole and bool(lines[0]) and bool(lines[-1]) and not lines[0].startswith(" ")


def _scalar(value: JsonValue) -> str:
    if isinstance(value, str):
        plain = _PLAIN.fullmatch(value) is not None and value.lower() not in _WORDS
        return value if plain else _quoted(value)
    text = json.dumps(value, allow_nan=False)
    # 1e-05 is a number in JSON, and a text in YAML 1.1.
    return text.replace("e", ".0e") if isinstance(value, float) and "." not in text else text


def _quoted(text: str) -> str:
    return "".join(map(_escaped, json.dumps(text, ensure_ascii=False)))


def _escaped(char: str) -> str:
    if char.isprintable():
        return char
    return f"\\u{ord(char):04x}" if ord(char) < 0x10000 else f"\\U{ord(char):08x}"
