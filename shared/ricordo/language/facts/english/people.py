"""English nouns for people and animals in somebody's life."""

from typing import Final

from ricordo.language.facts.grammar import Gender, Kin
from ricordo.language.facts.phrases import Reader, Rule, compile_phrases

_SINGULAR: Final[tuple[tuple[str, Gender, str], ...]] = (
    ("has_sibling", "f", "sister half-sister stepsister twin-sister sis"),
    ("has_sibling", "m", "brother half-brother stepbrother bro"),
    ("has_sibling", "", "sibling twin"),
    ("has_parent", "f", "mother mom mum mummy mama mam stepmother stepmum stepmom"),
    ("has_parent", "m", "father dad daddy papa stepfather stepdad"),
    ("has_parent", "", "parent"),
    ("has_child", "f", "daughter stepdaughter"),
    ("has_child", "m", "son stepson"),
    ("has_child", "", "child kid baby toddler newborn firstborn teenager stepchild"),
    ("partner", "f", "wife girlfriend fiancée fiancee missus wifey bride"),
    ("partner", "m", "husband boyfriend fiancé fiance hubby groom"),
    ("partner", "", "partner spouse"),
    ("friend", "", "friend buddy pal mate bestie bff best-friend penpal"),
    (
        "knows",
        "",
        """
    colleague coworker co-worker boss neighbour neighbor flatmate roommate housemate classmate teammate
    teacher doctor dentist therapist landlord landlady coach mentor professor tutor supervisor
    hairdresser trainer acquaintance manager lodger tenant barber mechanic vet lawyer accountant
    gardener nanny
    babysitter childminder student pupil apprentice client captain bandmate desk-mate deskmate penfriend
    officemate
    workmate doorman gp midwife physio physiotherapist psychologist carer cleaner superior
    """,
    ),
    (
        "related_to",
        "f",
        """
    aunt auntie niece grandmother grandma granny nana nan granddaughter mother-in-law sister-in-law
    daughter-in-law godmother goddaughter great-aunt great-grandmother grandmama gran nanna nonna abuela
    stepsister-in-law great-niece
    """,
    ),
    (
        "related_to",
        "m",
        """
    uncle nephew great-uncle great-grandfather great-nephew gramps grandad nonno abuelo pop-pop
    grandfather grandpa granddad grandson father-in-law brother-in-law son-in-law godfather
    godson
    """,
    ),
    (
        "related_to",
        "",
        "cousin grandparent grandchild relative godchild grandkid in-law great-grandchild grandbaby",
    ),
    (
        "has_pet",
        "",
        """
    dog doggo doggy pooch mutt puppy pup cockerel rooster goose lamb cow bull calf hen chicken goat
    donkey duck pig sheep fish bird cat kitten kitty rabbit bunny hamster
    parrot budgie canary goldfish tortoise turtle horse pony ferret lizard gecko snake guinea-pig
    labrador beagle dachshund poodle terrier retriever corgi tabby spaniel greyhound pet
    whippet lurcher husky pug bulldog chihuahua labradoodle cockapoo collie sheepdog rottweiler
    dalmatian mastiff
    dachsie staffie westie pomeranian schnauzer siamese persian ragdoll maine-coon kitty-cat chinchilla gerbil
    guinea iguana chameleon terrapin llama alpaca mule cockatiel budgerigar macaw cockatoo parakeet tarantula
    axolotl hedgehog goldendoodle
    """,
    ),
)

_IRREGULAR: Final = {
    "children": "child",
    "kids": "kid",
    "geese": "goose",
    "calves": "calf",
    "huskies": "husky",
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
    # "Our boys" are one's children; "my boy" may be a dog.
    # "My twins" are one's children; "my twin" is not.
    children = {
        "twins": Kin("has_child", "twin", plural=True),
        "eldest": Kin("has_child", "child"),
        "oldest": Kin("has_child", "child"),
        "youngest": Kin("has_child", "child"),
        "boy": Kin("has_child", "boy", "m"),
        "girl": Kin("has_child", "girl", "f"),
        "boys": Kin("has_child", "boy", "m", plural=True),
        "girls": Kin("has_child", "girl", "f", plural=True),
    }
    exes = {"ex": Kin("partner", "ex", over=True)}
    return {**plurals, **irregular, **nouns, **children, **exes}


KIN: Final = _kin()

ADJECTIVES: Final = frozenset(
    """
    older elder younger little big small baby twin best good close dear old oldest eldest youngest new
    beloved sweet lovely wonderful only dearest closest childhood former-school adorable golden norwegian
    british forest border cocker black white grey gray tabby german french rescue pet guinea
    three-year-old first second beautiful amazing great tiny young adopted late deceased estranged middle
    university college school work long-time longtime fluffy fat lazy crazy ancient mad naughty beautiful
    handsome clever hilarious brown orange spotted stray blind deaf cheeky grumpy lovely one-eyed
    three-legged neurotic elderly rambunctious feisty spoiled spoilt darling dearly departed foster
    biological birth six-year-old nosy noisy kind old-time former mini miniature identical fraternal toy
    siberian bernese
    yorkshire jack russell maine coon next-door upstairs downstairs immediate direct long-suffering
    maths math physics history english french spanish german italian latin science art music piano guitar
    violin swimming driving dance yoga tennis biology chemistry singing drama
    favorite favourite gorgeous newborn teenage grown-up grown twin closest bff pregnant
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
MEETING_PLACES: Final = frozenset(
    """
    office work school uni university college church gym class choir pub allotment team street course club
    band yoga accounts reception nursery antenatal downstairs upstairs
    """.split()
)
