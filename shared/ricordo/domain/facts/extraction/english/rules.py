"""English phrases that state facts.

`BE`, `WAS` and `HAVE` stand for the copula, its past and the perfect, whatever their form. The
notation is that of `phrases.parse_rules`.
"""

from typing import Final

from ricordo.domain.facts.extraction.phrases import Node, compile_phrases, parse_rules

_MACROS: Final = {
    "fan": ("fan", "lover"),
}

_PHRASES: Final = """
= name name
BE called|named
go|goes by
's name is
= name role
BE
= age age
turned|turn|turns
BE turning
HAVE turned
= birthday date
WAS born on|the
celebrate|celebrates my|his|her birthday on
= born_in place
WAS born [and] [raised] in|at
WAS born and raised|bred in
come|comes [originally] from
BE [originally] from
BE a native of
grew up in
= lives_in place
live|lives|reside|resides in|at
BE living|residing|based|settled in|at
HAVE lived|resided in|at
moved|relocated [back] [over] to
moved|relocated to_live_in|into
HAVE moved|relocated|settled [back] to|in
settled [down] in
= lives_in place past
lived in|at
WAS living|based|residing in|at
moved|relocated [away] from|out_of
= works_at organisation
work|works at|for|in
work|works part-time|full-time at|for|in
BE employed|hired by|at
BE working|employed|interning at|for|by|in
HAVE worked|been_working at|for
WAS hired by|at
started|began working at|for|in
started|began a|my new job at
started|began at
got|landed|found a [new] job|position at|with|in
got hired by|at
got|landed a job at
have|has a job at|with
teach|teaches at
BE interning|an_intern|a_trainee at|with
= works_at organisation past
worked at|for
WAS working|employed at|for|by
quit [my] [job] [at]
quit my job at
left my job at
resigned from
retired from
= works_as occupation
work|works as
work|works part-time|full-time|freelance as
BE working|employed as
HAVE worked|been_working as
earn|earns my|a|her|his living as
got|found|started a [new] job as
started working as
have|has a job as
= works_as occupation past
worked as
WAS working as
= works_as role
became|become|becomes
HAVE become
= works_as role past
WAS
= studies field
study|studies
BE studying|learning
learn|learns
BE majoring|specialising|specializing in
major|majors in
BE taking|doing a degree|course|class|masters|master's|phd in
BE doing|pursuing a|my|an|her|his degree|masters|master's|master|phd|doctorate|bachelor's|bachelor in
started|began studying|learning|to_study|to_learn
HAVE started studying|learning|to_study|to_learn
HAVE been_studying|been_learning
= studies field past
studied|majored_in
graduated in
have|has a degree in
WAS studying
= studies_at organisation
study|studies at
BE studying at
BE a [first-year|second-year|third-year|final-year|phd|master's|law|medical] student at|of
BE enrolled at|in
go|goes to university|college|school at|in
attend|attends
BE attending
enrolled at
BE doing|pursuing|taking a|my|his|her degree|masters|master's|phd|doctorate at
= studies_at organisation past
studied at
graduated from
= speaks language
speak|speaks [fluent] [some] [a_little]
BE [fluent|bilingual] fluent|bilingual|conversational in
can speak
know|knows how_to_speak
BE a native speaker of
= likes activity denied:dislikes
like|likes|love|loves|prefer|prefers to
= likes thing denied:dislikes
like|likes|love|loves|enjoy|enjoys|adore|adores
HAVE loved|liked|enjoyed|adored
BE [a] [big|huge|great|massive] {fan} of
BE into|fond_of|keen_on|crazy_about|mad_about|passionate_about|obsessed_with|addicted_to|nuts_about|
      hooked_on
BE in love with
have|has a soft_spot|passion|weakness|sweet_spot for
ca n't get enough of
ca n't|not live|resist without
fell in love with
= likes preferred
prefer|prefers
= dislikes activity
hate|hates|dislike|dislikes to
= dislikes thing
hate|hates|dislike|dislikes|detest|detests|loathe|loathes|despise|despises
HAVE hated|disliked|detested
ca n't stand|bear|tolerate
can not|hardly stand|bear
cannot stand|bear
= allergic_to substance
BE allergic|intolerant to
have|has an|a [severe|mild|bad|serious] allergy|intolerance to
suffer|suffers from an allergy to
= has_condition substance
suffer|suffers from
BE suffering from
HAVE suffered from
WAS diagnosed with
BE diagnosed with
HAVE been_diagnosed with
got diagnosed with
= has_condition condition
live|lives|struggle|struggles with
BE struggling|living with
= owns possession
have|has [got]
HAVE got
= owns thing
own|owns
= owns acquisition
bought|got|adopted|rescued|purchased|inherited
bought|got myself|ourselves
HAVE bought|got|adopted|rescued|purchased|inherited
brought home
took in
= partner name
BE married|engaged to
BE dating|seeing
got|married|engaged to
married
BE in a relationship with
BE together with
= friend name
BE [good|best|close|great] friends with
became|become [good|best|close|great] friends with
= friend kin
BE a [good|close|dear|great|old] friend of mine|ours
BE one of my [best|closest] friends
= knows kin
BE a colleague|neighbour|neighbor|acquaintance|classmate of mine
= knows name
know|knows
met
HAVE known|met
work|works with
= plays instrument
play|plays
BE playing
HAVE played|been_playing
BE learning|learning_how to play
started|began playing|to_play
practise|practice
= plays instrument past
played
= member_of organisation
BE [a|an] [active|proud|founding|long-time] member of
BE part of
belong|belongs to
joined
HAVE joined
sing|sings|play|plays in|for
BE singing|playing in|for
volunteer|volunteers at|for|with
BE volunteering at|for|with
= member_of organisation past
WAS a member of
= visited place
visited|toured|explored
HAVE visited|traveled_to|travelled_to|gone_to|toured
BE to
went|traveled|travelled|flew to
went on [a] [holiday|vacation|trip|honeymoon] [to] in|to
got back|home from
came back|home from
returned from
got|BE back from
BE just back from
took a trip to
= plans activity
plan|plans to|on
BE planning to|on
intend|intends to
HAVE decided to
decided to
BE going to
BE about to
= plans thing
BE planning
BE organising|organizing
"""

_ATTRIBUTES: Final = """
= name name
my|the [full|first|real|given] name is|'s
[please] call me
you can|may|could call me
just call me
everyone|everybody|friends|people|they call|calls me
my friends call me
3 her|his|its|their name|names is|are|'s
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

PHRASES: Final[Node] = compile_phrases(parse_rules(_PHRASES), _MACROS)
ATTRIBUTES: Final[Node] = compile_phrases(parse_rules(_ATTRIBUTES), _MACROS)
AFTER: Final = {predicate: compile_phrases(parse_rules(text), _MACROS) for predicate, text in _AFTER.items()}
