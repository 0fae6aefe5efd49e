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
work|works part-time|full-time|freelance|nights|days|weekends|shifts as
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
"""
