"""English phrases that say what somebody likes, has, suffers from, does and plans, and with whom.

The notation is that of `phrases.parse_rules`; see `rules` for what its macros stand for.
"""

from typing import Final

PURSUITS: Final = """
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
= owns property
own|owns
= owns acquisition
bought|got|adopted|rescued|purchased|inherited
bought|got myself|ourselves
HAVE bought|got|adopted|rescued|purchased|inherited
brought home
came|come home|back with
took in
= partner name
BE married|engaged to
BE dating|seeing
got married|engaged to
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
BE about to
= plans undertaking
BE planning
BE organising|organizing
"""
