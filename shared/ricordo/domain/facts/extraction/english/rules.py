"""English phrases that state facts.

`BE`, `WAS` and `HAVE` stand for the copula, its past and the perfect, whatever their form. The
notation is that of `phrases.parse_rules`.
"""

from typing import Final

from ricordo.domain.facts.extraction.english.circumstances import CIRCUMSTANCES
from ricordo.domain.facts.extraction.english.pursuits import PURSUITS
from ricordo.domain.facts.extraction.phrases import Node, compile_phrases, parse_rules

_MACROS: Final = {
    "fan": ("fan", "lover"),
}

_ATTRIBUTES: Final = """
= name name
my|the [full|first|real|given] name is|'s
[please] call me
you can|may|could call me
just call me
everyone|everybody|friends|people|they call|calls me
my friends call me
3 her|his|its|their name|names is|are|'s
3 we|i [have] ['ve] named him|her|it|them
3 we [have] ['ve] called him|her|it|them
= birthday date
my birthday is|'s [on]
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
= likes thing
my passion|hobby is|'s
my hobbies|passions|interests are|include
= dislikes thing
my pet_peeve is
= plays instrument
my instrument|sport is|'s [the]
= plans activity
my|our plan is to
"""

_AFTER: Final = {
    "plays": """
= member_of organisation
in|for|with
""",
    "works_as": """
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
"""

PHRASES: Final[Node] = compile_phrases(parse_rules(CIRCUMSTANCES + PURSUITS), _MACROS)
ATTRIBUTES: Final[Node] = compile_phrases(parse_rules(_ATTRIBUTES), _MACROS)
REMINDERS: Final[Node] = compile_phrases(parse_rules(_REMINDERS), _MACROS)
AFTER: Final = {predicate: compile_phrases(parse_rules(text), _MACROS) for predicate, text in _AFTER.items()}
