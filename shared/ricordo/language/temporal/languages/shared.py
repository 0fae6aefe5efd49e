"""What is written alike in every language: signs, and the numbers of the Romans."""

from collections.abc import Mapping

from ricordo.language.temporal.lexicon import Value

SIGNS: Mapping[Value, str] = {
    ",": ",",
    ".": ".",
    "/": "/",
    "-": "- – —",
    ":": ":",
    "~": "~",
    "'": "' ’",
}
# Those that are no word: of centuries mostly.
ROMAN: Mapping[Value, str] = {
    11: "xi",
    12: "xii",
    13: "xiii",
    14: "xiv",
    15: "xv",
    16: "xvi",
    17: "xvii",
    18: "xviii",
    19: "xix",
    20: "xx",
    21: "xxi",
}


def merged(*tables: Mapping[Value, str]) -> dict[Value, str]:
    """Return one table of all forms of several."""
    forms: dict[Value, str] = {}
    for table in tables:
        for value, more in table.items():
            forms[value] = f"{forms[value]} {more}" if value in forms else more
    return forms
