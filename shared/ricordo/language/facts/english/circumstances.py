"""English phrases that say who and where somebody is, what they do and what they speak.

The notation is that of `phrases.parse_rules`; see `rules` for what its macros stand for.
"""

from typing import Final

CIRCUMSTANCES: Final = """
= name name
BE called|named
go|goes by
's name is
= name role
BE
= age age
turned|turn|turns
BE turning
BE aged
HAVE turned
= birthday date
WAS born on|the
BE born on|the
have|has my|his|her|a birthday on
celebrate|celebrates my|his|her birthday on
= born_in place
WAS born [and] [raised] in|at
WAS born and raised|bred in
come|comes [originally] from
hail|hails from
WAS raised in
WAS from
originate|originates from
BE [a] native|original of
BE born [and] [raised] in|at
BE born and raised|bred in
BE [originally] from
BE a native of
grew up in
= lives_in place
live|lives|reside|resides in|at|on
BE living|residing|based|settled in|at
HAVE lived|resided in|at
moved|relocated [back] [over] to
moved|relocated to_live_in|into
HAVE moved|relocated|settled [back] to|in
settled [down] in
HAVE [just] [recently] moved|relocated [back] [over] to_live_in|into|to
rent|rents a [small|tiny] flat|room|house|apartment|studio|place in
BE back living in
BE a resident of
BE stationed|posted|located|situated|based [out_of] in|at
ended up [living] in
BE renting [a] [flat|room|house|apartment|studio|place] in
stay|stays put_in
stayed put_in
= lives_in home
live|lives with
BE living with
HAVE been_living with
= lives_in place past
lived in|at
WAS living|based|residing in|at
moved|relocated [away] from|out_of
= works_at organisation
work|works at|for|in
work|works part-time|full-time|nights|days|evenings|weekends|shifts|remotely|freelance at|for|in
BE employed|hired by|at
BE working|employed|interning at|for|by|in
HAVE worked|been_working at|for
WAS hired by|at
started|began working at|for|in
started|began a|my new job at
started|began at
HAVE started|begun at
got|landed|found a [new] job|position at|with|in
got hired by|at
got|landed a|the [new] job at|with
have|has a job at|with
BE interning|an_intern|a_trainee at|with
BE a|an|the intern|trainee|apprentice|volunteer|volunteering at|with
got|landed|found myself a [new] job|position at|with
have|has just started|begun at
start|starts working at
BE on_the_staff at|of
BE still|back working|employed at|for|with
WAS [just] promoted at
BE contracted|seconded by|to|at
run|runs|manage|manages the_kitchen|the_bar|the_shop at
= works_at taught
teach|teaches
BE teaching
HAVE taught|been_teaching
= works_at taught past
taught
= works_at organisation past
worked at|for
WAS working|employed at|for|by
quit
quit my job at
quit|left working at|for
stopped working at|for
got|WAS fired|sacked|laid_off|dismissed by|from
WAS made redundant by|from
retired after working_at|working_for
= works_at employer past
left
= works_at organisation past
handed in my notice at
left my job at
resigned from
retired from
= works_as occupation
work|works as
work|works part-time|full-time|freelance|nights|days|weekends|shifts as
BE working|employed as
HAVE worked|been_working as
earn|earns my|a|her|his living as
got|found|started a [new] job as
started working as
have|has a job as
make|makes a|my|his|her|their living as
BE training|retraining|apprenticed to_be|to_become|as
BE self-employed as
BE freelancing as
do|does freelance|freelancing as
moonlight|moonlights as
volunteer|volunteers|volunteering as
got|WAS hired|promoted as|to
= works_as occupation past
worked as
WAS working as
retired as
HAVE been_retired_as
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
BE studying|reading for a|my|his|her|their degree|masters|master_'s|phd|doctorate|bachelor_'s|exam|exams in
major|majors in
BE taking|doing a degree|course|class|masters|master's|phd in
BE doing|pursuing a|my|an|her|his degree|masters|master's|master|phd|doctorate|bachelor's|bachelor in
started|began studying|learning|to_study|to_learn
HAVE started studying|learning|to_study|to_learn
HAVE been_studying|been_learning
HAVE enrolled in
BE enrolled on|in a|an degree|course|masters|master|phd|programme|program in
do|does a|my|an|his|her degree|masters|master_'s|phd|doctorate|bachelor_'s in
BE doing|pursuing|taking a|my|an|his|her|their master_'s|bachelor_'s|diploma|certificate|mba|pgce|
   evening_course|night_class [degree] in
BE teaching|taught myself|himself|herself
BE self-studying|reading
BE taking|having [some] [private] lessons|classes|courses in
BE a|an student of
= studies field past
HAVE studied
HAVE a|an degree|masters|master_'s|phd|doctorate|diploma|bachelor_'s in
did|completed|finished|got|earned a|my|an|his|her degree|masters|master_'s|phd|doctorate|bachelor_'s|mba in
trained|qualified in
majored in
dropped out_of
studied|majored_in
graduated in
have|has a degree in
WAS studying
= studies field
BE [currently] in|doing|starting|finishing my|his|her|their first|second|third|fourth|fifth|final|
   last year of|studying|doing
BE [a] [first-year|second-year|third-year|final-year] student_of
BE taking|reading|doing a|my|his|her a_level|a-level|gcse|degree|course in
= studies course
BE doing|reading|taking
do|does|did
= studies_at campus
BE at
= studies_at organisation
study|studies at
BE studying at
BE a [first-year|second-year|third-year|final-year|phd|master's|law|medical] student at|of
BE enrolled at|in
BE [still] at [the] university|college|school in|of
BE [a] student|undergrad|undergraduate|postgrad|freshman|sophomore|junior|senior at|of
BE in|doing [my|his|her|their] first|second|third|fourth|final year [of_uni|of_university|of_college|
   of_school] at
start|starts at
go|goes to university|college|school at|in
attend|attends
BE attending
enrolled at
BE doing|pursuing|taking a|my|his|her degree|masters|master's|phd|doctorate at
BE doing|pursuing|taking a|my|his|her|an [undergraduate] master_'s|bachelor_'s|diploma|mba|erasmus at
got|got into
= studies_at organisation past
HAVE studied|graduated at|from
went to university|college|school at|in
attended
did|completed|got|earned a|my|an|his|her degree|masters|master_'s|phd|doctorate|bachelor_'s|mba at|from
dropped out_of
studied at
graduated from
= speaks language
speak|speaks [fluent|native|broken|basic|good|decent|perfect|passable] [both] [only]
grew up speaking|bilingual_in|bilingual_with
HAVE spoken
BE a [native] native|fluent [speaker_of]
BE trilingual in
get|gets by_in
understand|understands
can|could [also] understand|read|write|speak
speak|speaks [fluent] [some] [a_little]
BE [fluent|bilingual] fluent|bilingual|conversational in
can speak
know|knows how_to_speak
BE a native speaker of
"""
