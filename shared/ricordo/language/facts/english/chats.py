"""How English is written in chats, in the notation of `spelling.cut`."""

from typing import Final

SPELLINGS: Final = """
i|m=i+'m i|ve=i+'ve do|nt=do+n't does|nt=does+n't did|nt=did+n't ca|nt=ca+n't wo|nt=wo+n't is|nt=is+n't
are|nt=are+n't was|nt=was+n't were|nt=were+n't have|nt=have+n't has|nt=has+n't had|nt=had+n't
could|nt=could+n't would|nt=would+n't should|nt=should+n't we|ve=we+'ve you|ve=you+'ve they|ve=they+'ve
you|re=you+'re they|re=they+'re he|s=he+'s she|s=she+'s that|s=that+'s what|s=what+'s who|s=who+'s
there|s=there+'s here|s=here+'s where|s=where+'s gon|na=going+to wan|na=want+to got|ta=got+to
ai|nt=is+n't ai|n't=is+n't
bday=birthday b-day=birthday fav=favourite fave=favourite bc=because bcs=because cos=because coz=because
cuz=because tho=though rly=really u=you ya=you ur=your rn=now atm=now ppl=people luv=love
gf=girlfriend bf=boyfriend hubs=husband sis=sister bro=brother
favorite=favourite neighbor=neighbour dunno=idk lil=little prob=probably probs=probably def=definitely
defo=definitely deffo=definitely b4=before wife's=wife's w=with nd=and yrs=years yr=year whos=who's
"""
