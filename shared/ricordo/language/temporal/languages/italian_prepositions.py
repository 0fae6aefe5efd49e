"""Italian prepositions with the articles that they join."""

_ARTICLES = ("l", "llo", "lla", "ll'", "i", "gli", "lle")
_STEMS = {"di": "de", "in": "ne"}  # of what joins them; "a" and "da" are their own


def joined(*beginnings: str) -> str:
    """Return forms that end with a preposition, each alone and with every article: "fino_a fino_al"..."""
    forms: list[str] = []
    for words in beginnings:
        lead, _, preposition = words.rpartition("_")
        stem = _STEMS.get(preposition, preposition)
        joint = [preposition, *(stem + article for article in _ARTICLES)]
        forms += [f"{lead}_{form}" if lead else form for form in joint]
    return " ".join(forms)
