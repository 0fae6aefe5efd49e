"""English phrases that state facts.

`BE`, `WAS` and `HAVE` stand for the copula, its past and the perfect, whatever their form. The
notation is that of `phrases.parse_rules`.
"""

from typing import Final

from ricordo.language.facts.english.circumstances import CIRCUMSTANCES
from ricordo.language.facts.english.pursuits import PURSUITS
from ricordo.language.facts.phrases import Node, compile_phrases, parse_rules

_MACROS: Final = {
    "fan": ("fan", "lover"),
}

_ATTRIBUTES: Final = """
= name name
my|the [full|first|real|given] name is|'s
name 's|is
my names
[please] call me
you can|may|could call me
just call me
3 her|his|its|their name|names is|are|'s|was|were
3 we|i [have] ['ve] named him|her|it|them
3 we [have] ['ve] called him|her|it|them
3 named|called him|her|it|them
3 we|i call|nicknamed|nickname him|her|it|them
= name nothing
everyone|everybody|people|they|friends call|calls|nicknamed me|him|her|it|them
my friends|mates|family|colleagues|teammates call|nicknamed me|him|her|it|them
= birthday date
my|our birthday is|'s|falls [on] [is]
my birthday 's|is coming up on
i 'm|am a child|baby of_the
my birthday falls on
my date of birth is
it 's|is my birthday on
= born_in place
my hometown|birthplace is|'s
my home town is
my place of birth is
= lives_in place
my|our home|house|flat|apartment|place is|'s in
my current city is
home is
my|our new home is
= works_as occupation
my|the [current|new] job|profession|occupation|trade is|'s
i make my living as
= works_at organisation
my employer|company|workplace is|'s
my [new] job is at
my boss at
= speaks language
my mother|native|first|second tongue|language is|'s
= studies field
my major is|'s
my degree is in
my phd is in
= studies_at organisation
my university|college|school is|'s
= likes activity
there 's|is nothing i|we love|like|enjoy|adore more_than|better_than
nothing i|we love|like|enjoy|adore more_than|better_than
nothing beats
= likes thing
my passion|hobby is|'s
my hobbies|passions|interests are|include
= dislikes thing
my pet_peeve is
= owns property
my|our car|bike|motorbike|motorcycle|van|guitar|bicycle|boat|house is|'s a|an
= plays instrument
my instrument|sport is|'s [the]
= plans activity
my|our plan is to
"""

_BELONGINGS: Final = """
= birthday date
birthday is|'s|falls [on]
bday is|'s [on]
date of birth is|'s
= age age
age is|'s
= works_as occupation
job|profession|occupation|trade is|'s
= name name
[real|full|first] name is|'s|was
= likes thing
hobby|passion|favourite_thing is|'s
favourite food|dish|drink|band|film|movie|book|colour|sport|game|animal|subject|flavour|singer|song|show|
   series|
          toy|dinosaur|snack|cake|dessert|season|team is|are|'s
= born_in place
hometown|birthplace is|'s
= speaks language
mother|native|first tongue|language is|'s
"""

_COUPLES: Final = """
= friend name
are|'re [best|good|old|close|great|dear] friends|mates|besties|buddies|pals
have|'ve been [best|good|old|close|great|dear] friends|mates|besties|buddies|pals
= partner name
are|'re|got|have_got back together
are|'re|got [getting] married|engaged|together|dating
have|'ve been [a] married|engaged|together|dating|couple
are|'re [a] couple|item
met and_fell_in_love|and_married
= partner name past
broke|split|split_up|broke_up up
have|'ve broken|split up
divorced|separated
got divorced|separated
are|'re divorced|separated
used to be|date together|married
were [a] married|together|couple|engaged
"""

_AFTER: Final = {
    "plays": """
= member_of organisation
in|for|with
""",
    "is_a": """
= lives_in place
living|based in|near
= born_in place
born [and] [raised] in
= works_at organisation
working at|for
""",
    "works_as": """
= lives_in place
living|based in|near
= born_in place
from
= works_at organisation
at|for|in|with
""",
    "works_at": """
= works_as occupation
as
""",
    "studies": """
= studies_at organisation
at|in
""",
    "studies_at": """
= studies field
where BE studying
doing|studying|reading
""",
    "lives_in": """
= lives_in place
to
""",
    "birthday": """
= born_in place
in
""",
    "born_in": """
= birthday date
on
""",
}

_REMINDERS: Final = """
= note nothing
[please] remember|note|know that
[please] do n't|not forget that
keep|bear in_mind that
i remind you that
you should|must know|remember that
you should|must know|remember
i [already] told|said you [before] [that]
i 've|have [already] told|said you [before] [that]
just so you know [that] [,]
for the record [,]
the thing is [that] [,]
the truth is [that] [,]
fun fact [:] [,]
heads up [:] [,]
thing is [,]
keep|bear in_mind
mind you [,]
turns out [that]
it turns out [that]
i forgot to_mention|to_say [that]
did i mention [that]
i should mention|say|add [that]
i have to_say|to_admit [that]
i must say|admit [that]
i mean [,]
"""

PHRASES: Final[Node] = compile_phrases(parse_rules(CIRCUMSTANCES + PURSUITS), _MACROS)
BELONGINGS: Final[Node] = compile_phrases(parse_rules(_BELONGINGS), _MACROS)
COUPLES: Final[Node] = compile_phrases(parse_rules(_COUPLES), _MACROS)
ATTRIBUTES: Final[Node] = compile_phrases(parse_rules(_ATTRIBUTES), _MACROS)
REMINDERS: Final[Node] = compile_phrases(parse_rules(_REMINDERS), _MACROS)
AFTER: Final = {predicate: compile_phrases(parse_rules(text), _MACROS) for predicate, text in _AFTER.items()}
