"""How Italian is written in chats, in the notation of `spelling.cut`."""

from typing import Final

SPELLINGS: Final = """
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

HAVING: Final = frozenset(
    "ho ha hai abbiamo avete hanno avevo aveva avevamo avevano avrei è sono era".split()
)
"""Before these, "ci" adds nothing but a sound: "c'ho due gatti"."""
