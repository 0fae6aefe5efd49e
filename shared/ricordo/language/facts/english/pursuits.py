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
BE [such|quite|very] [a] [real|total|complete|massive|big|huge] nerd|geek|sucker|fanatic|addict|junkie|
   fiend for|about
BE partial to
BE [really] big on
get|gets a_kick_out_of
swear|swears by
HAVE always|long loved|liked|enjoyed|adored
HAVE been into|obsessed_with|hooked_on|crazy_about
HAVE got|developed a|an soft_spot|passion|weakness|sweet_spot|obsession|thing for|with
have|has a|an thing|obsession|love for|with
HAVE fallen in_love_with
BE [absolutely] mad for|about
BE a|an [big|huge|great|massive|real] [amateur|avid|keen] {fan}|admirer|follower|enthusiast|devotee of
BE [really] enjoying|loving
grew to love
have|has a soft_spot|passion|weakness|sweet_spot for
ca n't get enough of
ca n't|not live|resist without
fell in love with
= likes topic
love|adore|enjoy it|them
= dislikes topic
hate|detest it|them
ca n't stand it|them
= allergic_to topic
BE allergic
BE allergic to it|them
= allergic_to spoken_of
ca n't eat|have|drink|touch
can not eat|have|drink|touch
can never eat|have|drink|touch
3 ca n't eat|have|drink
= likes preferred
prefer|prefers
= dislikes activity
hate|hates|dislike|dislikes to
= likes thing past
adored
= dislikes thing
do|does n't care for|about
do|does not care for|about
BE repulsed|disgusted|put_off by
BE not|never into|keen_on|fond_of|big_on
BE n't into|keen_on|fond_of|big_on
can|could do without
ca n't deal with
could n't stand|bear
hate|hates|dislike|dislikes|detest|detests|loathe|loathes|despise|despises
HAVE hated|disliked|detested
ca n't stand|bear|tolerate
can not|hardly stand|bear
cannot stand|bear
= allergic_to substance
BE allergic|intolerant to
have|has an|a [severe|mild|bad|serious] allergy|intolerance to
suffer|suffers from an allergy to
have|has|had a|an [severe|mild|bad|serious|nasty|terrible] [food] allergy|intolerance to
HAVE [a|an] [always] been allergic|intolerant to
BE [really|highly|super] sensitive|anaphylactic to
react|reacts badly_to
= has_condition substance
suffer|suffers from
BE suffering from
HAVE suffered from
WAS diagnosed with
BE diagnosed with
HAVE been_diagnosed with
got diagnosed with
WAS|got told_i_had|told_i_have
BE plagued|afflicted by|with
HAVE been_struggling|been_living|lived|struggled with
WAS born with
= has_condition condition
live|lives|struggle|struggles with
BE struggling|living with
= owns possession
have|has|'ve [got]
HAVE got
HAVE had|owned
= owns possession past
had
= likes organisation
support|supports
HAVE supported
= owns property
own|owns
became|become|BE [the] [proud] owner|owners of
= owns property past
owned
= owns ending
sold|lost
HAVE sold|lost
gave|given away
HAVE given away
got rid_of
HAVE got|gotten rid_of
wrecked|totalled|scrapped
HAVE wrecked|totalled|scrapped
= lives_in ending
moved out_of
HAVE moved out_of
= plays ending
gave up
HAVE given_up
= partner parting
broke|split up with
HAVE broken|split up with
divorced
HAVE divorced
WAS|BE|got divorced|separated from
separated from
dumped
= partner loss
3 left|dumped me
3 HAVE left|dumped me
3 broke|split up with me
3 walked out on me
= has_pet loss
died|passed [away]
HAVE died|passed [away]
WAS put to_sleep|down
BE dead|gone
= has_pet possession
keep|keeps
HAVE kept
= owns acquisition
bought|got|adopted|rescued|purchased|inherited
bought|got myself|ourselves
HAVE bought|got|adopted|rescued|purchased|inherited
brought home
came|come home|back with
took in
= has_child name
BE the|a [proud] father|mother|dad|mum|mom|parent of|to
= partner name
BE married|engaged to
BE dating|seeing
started|began dating|seeing
HAVE started dating|seeing
got married|engaged to
married
BE in a relationship with
HAVE been married|engaged|together to|with
HAVE been_dating|been_seeing|been_going_out_with
BE going out with
BE [happily|newly] wed to
proposed to
moved in with
BE together with
= friend name
BE [good|best|close|great] friends with
became|become [good|best|close|great] friends with
HAVE been [good|best|close|great] friends with
= friend kin
BE a [good|close|dear|great|old] friend of mine|ours
BE one of my [best|closest] friends
= knows kin
BE a colleague|neighbour|neighbor|acquaintance|classmate of mine
= knows name
went to school|college|uni|university with
go|goes to school|college|uni|university|choir|church with
grew up with
share|shares a|an|my flat|house|office|room|apartment|desk with
know|knows
met
HAVE known|met
work|works with
= plays instrument past
used to play
played
quit|stopped|gave_up|dropped playing
WAS playing
= plays sport
do|does|practise|practises|practice|practices
BE doing
= plays instrument
play|plays
BE playing
HAVE played|been_playing
BE learning|learning_how to play
started|began playing|to_play
practise|practice
BE [getting|really] good|decent|terrible|awful|hopeless|bad at playing
HAVE taken|took up
took up
BE teaching|taught myself|himself|herself [the] [to_play]
BE taking|having [some] lessons|classes on|in
drum|drums in
= member_of organisation
BE [a|an] [active|proud|founding|long-time] member of
BE part of
BE [a|an] [active|proud|founding|long-time|paid-up|lifelong|honorary|full] member|fellow|supporter|
   volunteer|trustee|treasurer|chair|secretary|president|patron of|with|for|at
HAVE been [a|an] [active|proud|founding|long-time|paid-up|lifelong] member|part|volunteer of|at|with
BE on the board|committee of
signed up for|to|with
BE signed up for|to|with
row|rows|swim|swims|run|runs|fight|fights|train|trains|compete|competes|dance|dances|act|acts|march|
   marches for|with
dance|dances|act|acts|march|marches|drum|drums|conduct|conducts in
belong|belongs to
joined
HAVE joined
sing|sings|play|plays in|for
sing|sings with
BE singing|playing in|for
volunteer|volunteers at|for|with
BE volunteering at|for|with
= member_of group
BE in
HAVE been in
BE [back|still|now] in
= member_of group past
WAS in
left
= member_of organisation past
WAS a member of
WAS part of
played|sang in|for
belonged to
volunteered at|for|with
HAVE left
resigned my_membership_of
= visited place
visited|toured|explored
HAVE visited|traveled_to|travelled_to|gone_to|toured
BE to
HAVE been over|down|up to
HAVE [just] [recently] been|gone to
spent a|my|our|the|last|two|three|four|five|six|ten|some|few [whole] [few] [week|weeks|month|months|
   summer|winter|year|weekend|days|holiday|holidays|honeymoon|vacation] in
spent [last] summer|winter|christmas|easter|new_year in
WAS on [a] holiday|vacation|honeymoon in
hiked|cycled|backpacked|camped|skied|surfed in
backpacked|hiked|cycled|travelled|traveled|drove|sailed|hitchhiked|interrailed through|across|around|round
travelled|traveled around|across|through|all_over
went|traveled|travelled|flew to
went on [a] [holiday|vacation|trip|honeymoon] [to] in|to
got back|home from
came back|home from
returned from
got|BE back from
BE just back from
took a trip to
= plans intention
BE going to
BE [currently] saving|training up_to|to|up_for
= plans future
BE getting|moving|opening|starting|retiring|adopting|launching|emigrating|relocating|quitting|buying|selling|
   renovating|building|
   enrolling|joining|running|walking|cycling
= plans activity
HAVE made up_my_mind_to
made up my mind to
BE set|determined|due|scheduled|aiming to
BE aiming|intending|preparing|fixing to
HAVE [finally] decided|resolved|committed to
plan|plans to|on
BE planning to|on
intend|intends to
HAVE decided to
decided to
BE about to
= plans undertaking
BE planning [on]
BE organising|organizing
"""
