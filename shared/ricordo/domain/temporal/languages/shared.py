"""What is written alike in every language: signs."""

from collections.abc import Mapping

from ricordo.domain.temporal.lexicon import Value

SIGNS: Mapping[Value, str] = {
    ",": ",",
    ".": ".",
    "/": "/",
    "-": "- – —",
    ":": ":",
    "~": "~",
    "'": "' ’",
}
