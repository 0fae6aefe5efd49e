"""Words that are not meant as they are written: figures of speech and laughter."""

import re
from typing import Final

NO_JOBS: Final = frozenset(
    """
    matter result rule team group couple whole favor favour consequence precaution unit pair dog beast
    tempo prima sempre solito volta matto matta matti matte pazzo pazza pazzi pazze dannato dannata
    dannati mulo muli bestia bestie schiavo schiava schiavi forsennato ossesso ossessi animale animali
    cane cani treno trattore posso possiamo va viene capita tutti tanti molti chiunque vuoi
    """.split()
)
"""What is done "as a matter of fact" or "come un mulo" is no job."""
NO_ALLERGENS: Final = frozenset(
    """
    riunione riunioni lavoro capo sveglia sveglie burocrazia tasse stupidità idiozia ipocrisia ignoranza
    persone gente bugie ritardi regole complimenti impegni matematica sport palestra scuola compiti
    novità cambiamenti call email meeting meetings work boss bureaucracy taxes stupidity nonsense
    bullshit hypocrisy ignorance people lies drama rules homework compliments commitment maths math
    exercise gym school change changes calls emails alarms fun responsibility
    """.split()
)
"""What people say that they are allergic to and mean that they dislike it."""
ALLERGENS: Final = frozenset(
    """
    polline pollini graminacee ambrosia acari polvere muffa pelo gatto gatti cane cani latte lattosio
    glutine grano uova uovo arachidi noci nocciole mandorle pesce crostacei molluschi gamberi soia
    sesamo fragole kiwi pomodoro pomodori nichel lattice penicillina aspirina api vespe pollen ragweed
    grass dust mites mold mould fur cat cats dog dogs milk dairy lactose gluten wheat egg eggs peanut
    peanuts nuts almonds walnuts cashews fish shellfish shrimp soy sesame strawberries kiwi tomatoes
    nickel latex penicillin aspirin ibuprofen bees wasps
    """.split()
)
"""What an allergy is to even when the writer laughs about it."""
IDIOMS: Final = frozenset(
    {"per capello", "da pelare", "da pigliare", "in gola", "to fry", "to flog", "to skin"}
)
"""What follows an animal in a figure of speech that tells of no pet: "un gatto per capello"."""
_LAUGHTER: Final = re.compile(
    r"a?(?:h[aeiou]){2,}h?|a?(?:ha|ah){2,}|(?:e?he){2,}|(?:ah|eh|ih){2,}|x+d+|lol+|lmf?ao+|rofl|😂|🤣|😹|😆"
)


def is_laughter(word: str) -> bool:
    """Whether a word, in lower case, is a laugh: "ahahah", "lol"."""
    return _LAUGHTER.fullmatch(word) is not None
