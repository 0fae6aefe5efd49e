"""English nouns for people and animals in somebody's life."""

from typing import Final

from ricordo.domain.facts.extraction.grammar import Gender, Kin
from ricordo.domain.facts.extraction.phrases import Reader, Rule, compile_phrases

_SINGULAR: Final[tuple[tuple[str, Gender, str], ...]] = (
    ("has_sibling", "f", "sister half-sister stepsister twin-sister sis"),
    ("has_sibling", "m", "brother half-brother stepbrother bro"),
    ("has_sibling", "", "sibling twin"),
    ("has_parent", "f", "mother mom mum mummy mama stepmother"),
    ("has_parent", "m", "father dad daddy papa stepfather"),
    ("has_parent", "", "parent"),
    ("has_child", "f", "daughter stepdaughter"),
    ("has_child", "m", "son stepson"),
    ("has_child", "", "child kid baby toddler newborn"),
    ("partner", "f", "wife girlfriend fiancée fiancee"),
    ("partner", "m", "husband boyfriend fiancé fiance hubby"),
    ("partner", "", "partner spouse"),
    ("friend", "", "friend buddy pal mate bestie bff"),
    (
        "knows",
        "",
        """
    colleague coworker co-worker boss neighbour neighbor flatmate roommate housemate classmate teammate
    teacher doctor dentist therapist landlord landlady coach mentor professor tutor supervisor
    hairdresser trainer acquaintance
    """,
    ),
    (
        "related_to",
        "f",
        """
    aunt auntie niece grandmother grandma granny nana nan granddaughter mother-in-law sister-in-law
    daughter-in-law godmother goddaughter
    """,
    ),
    (
        "related_to",
        "m",
        """
    uncle nephew grandfather grandpa granddad grandson father-in-law brother-in-law son-in-law godfather
    godson
    """,
    ),
    ("related_to", "", "cousin grandparent grandchild relative"),
    (
        "has_pet",
        "",
        """
    dog puppy pup hen chicken goat donkey duck pig sheep fish bird cat kitten kitty rabbit bunny hamster
    parrot budgie canary goldfish tortoise turtle horse pony ferret lizard gecko snake guinea-pig
    labrador beagle dachshund poodle terrier retriever corgi tabby spaniel greyhound pet
    """,
    ),
)

_IRREGULAR: Final = {
    "children": "child",
    "kids": "kid",
    "babies": "baby",
    "wives": "wife",
    "puppies": "puppy",
    "kitties": "kitty",
    "bunnies": "bunny",
    "ponies": "pony",
    "grandchildren": "grandchild",
    "goldfish": "goldfish",
}


def _kin() -> dict[str, Kin]:
    nouns = {n: Kin(predicate, n, gender) for predicate, gender, group in _SINGULAR for n in group.split()}
    plurals = {f"{n}s": Kin(kin.predicate, n, kin.gender, plural=True) for n, kin in nouns.items()}
    irregular = {
        p: Kin(nouns[s].predicate, s, nouns[s].gender, plural=True) for p, s in _IRREGULAR.items() if p != s
    }
    # "My twins" are one's children; "my twin" is not.
    children = {"twins": Kin("has_child", "twin", plural=True)}
    return {**plurals, **irregular, **nouns, **children}


KIN: Final = _kin()

ADJECTIVES: Final = frozenset(
    """
    older elder younger little big small baby twin best good close dear old oldest eldest youngest new
    beloved sweet lovely wonderful only dearest closest childhood former-school adorable golden black
    white grey gray tabby german french rescue pet guinea three-year-old first second beautiful amazing
    great tiny young adopted middle university college school work long-time longtime fluffy
    """.split()
)
NAMING: Final = compile_phrases(
    (
        (
            Rule("name", Reader.NAME),
            """
    called|named|nicknamed
    whose name is
    who is|'s called|named
    by the name of
    who goes by
    who we call|called|named
    """,
        ),
    ),
    {},
)
COMPANIONS: Final = frozenset("work school college uni university".split())
