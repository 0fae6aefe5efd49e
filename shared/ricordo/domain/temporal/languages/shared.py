"""What is written alike in every language: signs, and the edges of numbers."""

from collections.abc import Mapping

from ricordo.domain.temporal.lexicon import Kind, Value

SIGNS: Mapping[Value, str] = {
    ",": ",",
    ".": ".",
    "/": "/",
    "-": "- – —",
    ":": ":",
    "~": "~",
    "'": "' ’",
}
DASHES: Mapping[Kind, Mapping[Value, str]] = {Kind.SIGN: SIGNS}
