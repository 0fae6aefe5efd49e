"""Words that carry grammar rather than meaning, in Italian and English.

Case-folded, and cut at apostrophes as `text.words` cuts them.
"""

_ITALIAN = """
a ad ai al alla allo alle agli anche ancora avere avete avevo aveva avevano avevamo abbia abbiamo
abbiano c che chi ci cioè come con col coi contro cosa così cui d da dai dal dalla dallo dalle dagli
dell de degli dei del della delle dello di dov dove dunque e è ed ebbe era erano eri ero eravamo
essere essi essa esse fa fai fare fra fu furono gli ha hai hanno ho i il in io l la là le lei li lì
lo loro lui m ma me mentre mi mia mie miei mio molto n ne né negli nei nel nella nelle nello no noi
non nostra nostre nostri nostro o od ogni oppure per perché perchè però più po poi prima pure qua
qual quale quali qualche quando quanto quei quegli quell quella quelle quelli quello quest questa
queste questi questo qui quindi s sa sarà saranno se sei sembra sempre senza si sì sia siamo siano
siete solo sono sta stai stanno stare stato stata stati state sto su sua sue sugli sui sul sull
sulla sulle sullo suo suoi t ti tra tu tua tue tuo tuoi tutta tutte tutti tutto un una uno v va vai
vi voi vostra vostre vostri vostro vuoi già allora appena ecco dopo durante fino forse infatti
insomma invece magari mica niente nulla oltre ora ormai proprio pur quasi tanto troppo tuttavia
verso via abbastanza beh boh eh mah oh ah
"""

_ENGLISH = """
a about above after again against ain all also am an and any are aren aren't as at be because been
before being below between both but by can can't cannot could couldn couldn't d did didn didn't do
does doesn doesn't doing don don't down during each either else ever few for from further get gets
got had hadn hadn't has hasn hasn't have haven haven't having he he'd he'll he's her here here's
hers herself him himself his how how's i i'd i'll i'm i've if in into is isn isn't it it'd it'll
it's its itself just let let's ll m me might more most must mustn't my myself no nor not now o of
off oh on once only or other our ours ourselves out over own quite rather re really s same shall
shan't she she'd she'll she's should shouldn't so some such t than that that's the their theirs them
themselves then there there's these they they'd they'll they're they've this those through to too
under until up us ve very was wasn wasn't we we'd we'll we're we've were weren weren't what what's
when when's where where's which while who who's whom why why's will with won won't would wouldn
wouldn't yes yet you you'd you'll you're you've your yours yourself yourselves yeah ok okay well hey
hi hello
"""

_BY_LANGUAGE = {"it": frozenset(_ITALIAN.split()), "en": frozenset(_ENGLISH.split())}


def stop_words(language: str) -> frozenset[str]:
    """Return the stop words of `language` ("it", "en"), none of any other."""
    return _BY_LANGUAGE.get(language, frozenset())
