"""How words are written in chats: apostrophes left out, words shortened; each read as what it stands for."""

from collections.abc import Mapping
from typing import Final

Pieces = tuple[tuple[int, str], ...]
"""The tokens that a written word stands for: how many of its characters each takes, and the word it means."""


def _cut(text: str) -> dict[str, Pieces]:
    """Read `written=a|b:meaning meaning` items: where the written word is cut, and what its parts mean."""
    found: dict[str, Pieces] = {}
    for item in text.split():
        parts, _, meaning = item.partition("=")
        pieces = parts.split("|")
        meant = meaning.split("+") if meaning else pieces
        found["".join(pieces)] = tuple((len(p), m) for p, m in zip(pieces, meant, strict=True))
    return found


_ENGLISH: Final = _cut(
    """
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
)
_ITALIAN: Final = _cut(
    """
    so'=sono sò=sono sn=sono nn=non xke=perché xché=perché xkè=perché xké=perché xchè=perché xche=perché
    perche=perché perchè=perché perche'=perché cmq=comunque x=per ke=che ki=chi qnd=quando qlcs=qualcosa
    qlcn=qualcuno tt=tutto anke=anche pò=po' e'=è cosi=così cosi'=così piu=più piu'=più gia=già gia'=già
    papa'=papà m'=mi s'=si citta=città citta'=città universita=università universita'=università
    caffe=caffè caffe'=caffè eta'=età si'=sì pero=però pero'=però poiche=poiché finche=finché
    lunedi=lunedì martedi=martedì mercoledi=mercoledì giovedi=giovedì venerdi=venerdì lunedi'=lunedì
    martedi'=martedì mercoledi'=mercoledì giovedi'=giovedì venerdi'=venerdì msg=messaggio l=l' d=d'
    dell=dell' all=all' nell=nell' sull=sull' dall=dall' quest=quest' c=c' grz=grazie dv=dove kome=come
    qst=questo qsto=questo qsta=questa adess=adesso xò=però xo=però prof=professore kiamo=chiamo
    kiami=chiami kiama=chiama kiamano=chiamano kiamiamo=chiamiamo kiamato=chiamato kiamata=chiamata
    kiamava=chiamava kiede=chiede cn=con
    """
)
SPELLINGS: Final[Mapping[str, Mapping[str, Pieces]]] = {
    "en": {w: p for w, p in _ENGLISH.items() if len(p) > 1 or p[0][1] != w},
    "it": _ITALIAN,
}

HAVING: Final = frozenset(
    "ho ha hai abbiamo avete hanno avevo aveva avevamo avevano avrei è sono era".split()
)
"""Before these, Italian "ci" adds nothing but a sound: "c'ho due gatti"."""
