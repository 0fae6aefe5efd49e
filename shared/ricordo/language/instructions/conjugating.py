"""The imperatives of an Italian verb, as they open an order, with the pronouns that may hang on them."""

from collections.abc import Iterator
from typing import Final

_PRONOUNS: Final = (
    "mi",
    "ti",
    "gli",
    "le",
    "lo",
    "la",
    "li",
    "ci",
    "ne",
    "vi",
    "glielo",
    "gliela",
    "melo",
    "mela",
)
_IRREGULAR: Final = {"dire": ("di'", "dite", "dica")}
# How the stems of contracted infinitives go on: infinitive ending, singular, plural, polite.
_CONTRACTED: Final = (
    ("porre", "poni", "ponete", "ponga"),
    ("durre", "duci", "ducete", "duca"),
    ("trarre", "trai", "traete", "tragga"),
    ("tenere", "tieni", "tenete", "tenga"),
    ("gliere", "gli", "gliete", "lga"),
)


def imperatives(infinitive: str) -> frozenset[str]:
    """Return the forms that give an order: familiar, plural, polite, future and the infinitive itself.

    Args:
        infinitive: without accents; "-isc" behind one that is conjugated like "capire".
    """
    bare = infinitive.removesuffix("-isc")
    familiar, plural, polite = _forms(bare, widened=bare != infinitive)
    hanging = (familiar.removesuffix("'"), plural, bare[:-1])
    joined = {root + _joined(root, one) for root in hanging for one in _PRONOUNS}
    return frozenset({familiar, plural, polite, bare, _future(bare), *joined})


def _forms(bare: str, *, widened: bool) -> tuple[str, str, str]:
    if bare in _IRREGULAR:
        return _IRREGULAR[bare]
    for ending, *forms in _CONTRACTED:
        if bare.endswith(ending):
            first, second, third = (bare.removesuffix(ending) + form for form in forms)
            return first, second, third
    stem, group = bare[:-3], bare[-3:]
    if group == "are":
        softened = f"{stem}h" if stem.endswith(("c", "g")) else stem.removesuffix("i")
        return f"{stem}a", f"{stem}ate", f"{softened}i"
    if group == "ere":
        return f"{stem}i", f"{stem}ete", f"{stem}a"
    return (f"{stem}isci", f"{stem}ite", f"{stem}isca") if widened else (f"{stem}i", f"{stem}ite", f"{stem}a")


def _joined(root: str, pronoun: str) -> str:
    return f"{pronoun[0]}{pronoun}" if root == "di" and pronoun[0] != "g" else pronoun  # dimmi, dillo, digli


def _future(bare: str) -> str:
    return f"{bare[:-3]}erai" if bare.endswith("are") else f"{bare[:-1]}ai"


def conjugated(phrase: str) -> Iterator[str]:
    """Yield the imperatives of a verb that more words may follow."""
    infinitive, _, rest = phrase.partition(" ")
    for form in sorted(imperatives(infinitive)):
        yield f"{form} {rest}".strip()
