"""Italian phrases that state facts.

The verb says whose they are, for a subject is often left out: 1 marks the user's own forms, 3 those of
everybody else. The notation is that of `phrases.parse_rules`.
"""

from typing import Final

from ricordo.language.facts.italian.circumstances import CIRCUMSTANCES
from ricordo.language.facts.italian.pursuits import PURSUITS
from ricordo.language.facts.phrases import Node, compile_phrases, parse_rules

_MACROS: Final = {
    "o": ("o", "a", "i", "e"),
    "a": tuple("a ad al allo alla all' ai agli alle".split()),
    "in": tuple("in nel nello nella nell' nei negli nelle".split()),
    "di": tuple("di d' del dello della dell' dei degli delle".split()),
    "da": tuple("da dal dallo dalla dall' dai dagli dalle".split()),
    "con": ("con", "col"),
    "at": tuple("a al allo alla all' ai alle in nel nello nella nell' per presso da dal dalla".split()),
    "where": tuple("a ad in al alle nel nella nell' nei nelle negli ai all' alla".split()),
    "city": ("a", "ad", "in"),
    "am": ("sono", "siamo"),
    "ho": ("ho", "abbiamo"),
    "un": tuple("un uno una un'".split()),
}

_ATTRIBUTES: Final = """
= name name
il mio [vero] nome [non] è
nome di_battesimo
3 il suo nome è
3 l'ho|l'abbiamo chiamato|chiamata
3 l' ho|abbiamo chiamato|chiamata
3 lo|la|li|le chiamo|chiamiamo
= name nothing
mi|lo|la|li|le chiamano [tutti]
tutti|amici|gli_amici|in_famiglia|in_paese|i_miei|gli_altri mi|lo|la|li|le chiamano
= birthday date
il mio compleanno è|cade [il] [l']
la mia data_di_nascita è
= born_in place
la mia città natale|d'_origine è
il mio paese natale|d'_origine è
il mio luogo_di_nascita è
= lives_in place
la mia [nuova] casa|città è [a|in]
casa mia è a|in
= works_as occupation
il mio lavoro|mestiere è [quello_di|fare] [il|l'|la|lo]
la mia professione è
= works_at organisation
il mio datore_di_lavoro|nuovo_lavoro è [a|alla|presso|in]
la mia azienda è
= speaks language
la mia lingua_madre|madrelingua|prima_lingua|seconda_lingua è
= studies_at organisation
la mia università|scuola è
il mio liceo è
= likes thing
non c' è niente|nulla che mi piaccia|piace più|di_più di|che|del|della|dei|delle
la mia [più] [grande] passione è|sono
il mio hobby è
i miei hobby|interessi sono
le mie passioni sono
= owns property
la mia|nostra macchina|auto|moto|bici|bicicletta|barca|chitarra è una|un'|un
il mio|nostro furgone|scooter|motorino|camper è un|uno|una
= plays instrument
il mio strumento|sport è
= plans activity
il mio|nostro piano|progetto è di|quello_di
"""

_BELONGINGS: Final = """
= birthday date
il|l' compleanno
la data_di_nascita
gli anni
= name name
il|l' [vero] nome
= works_as occupation
il|l' lavoro|mestiere
la professione
= likes thing
la passione
l' hobby
il|la|i|le cibo|piatto|gioco|film|libro|cartone|squadra|animale|colore|canzone|cantante|gusto preferito|
   preferita
= age age
l' età
= born_in place
la città natale|d'_origine
il paese natale|d'_origine
= speaks language
la lingua madre
"""

_COUPLES: Final = """
= friend name
siamo [molto] [grandi|ottimi|ottime|vecchi|vecchie|buoni|buone] amici|amiche
siamo [i|le] migliori amici|amiche
= partner name
siamo tornati|di_nuovo insieme
ci siamo rimessi insieme
siamo sposati|fidanzati|insieme|una_coppia
stiamo insieme
conviviamo
ci siamo sposati|fidanzati|messi_insieme|conosciuti_e_sposati
ci sposiamo
= partner name past
ci siamo lasciati|separati|mollati
abbiamo divorziato|rotto
siamo separati|divorziati
eravamo sposati|fidanzati|insieme
stavamo insieme
"""

_AFTER: Final = {
    "plays": """
= member_of organisation
{in}|con|per
""",
    "works_as": """
= works_at organisation
{at}
""",
    "works_at": """
= works_as occupation
come
""",
    "studies": """
= studies_at organisation
{at}
""",
    "birthday": """
= born_in place
{where}
""",
    "born_in": """
= birthday date
il|l'
""",
    "lives_in": """
= lives_in place
a|ad|in
""",
}

_REMINDERS: Final = """
= note nothing
ricorda|ricordati|ricordatevi|ricordate|ricordo|sappi|sappiate|segna|segnati|nota che
tieni|tenete|tenga presente|a_mente|conto|in_mente che
non dimenticare|dimenticarti|dimenticatevi|scordare|scordarti|scordartelo che
ti|vi ricordo|ripeto|avverto che
devi|dovresti sapere|ricordare|ricordarti che
deve|dovete sapere|sapete che
attenzione|occhio|guarda|guardate|premetto|preciso|aggiungo|confesso|ammetto|avviso che
attenzione|occhio|promemoria|nota|premessa :
ti|vi|te_l'|ve_l' ho detto che|:|,
te l' ho detto che|:|,
mi sa che non te_l'_ho_detto|te_l'_ho_mai_detto|te_l'_avevo_detto :|,|ma
non te l'_ho detto :|,|ma
non te l'_ho mai_detto :|,|ma
mi sono dimenticat{o} di_dirti che
dimenticavo che|:|,
si dà_il_caso che
il fatto è che
la verità è che
sta di_fatto che
visto|dato|considerato|considera|calcola che
considerando|sapendo che
"""

PHRASES: Final[Node] = compile_phrases(parse_rules(CIRCUMSTANCES + PURSUITS), _MACROS)
BELONGINGS: Final[Node] = compile_phrases(parse_rules(_BELONGINGS), _MACROS)
COUPLES: Final[Node] = compile_phrases(parse_rules(_COUPLES), _MACROS)
ATTRIBUTES: Final[Node] = compile_phrases(parse_rules(_ATTRIBUTES), _MACROS)
REMINDERS: Final[Node] = compile_phrases(parse_rules(_REMINDERS), _MACROS)
AFTER: Final = {predicate: compile_phrases(parse_rules(text), _MACROS) for predicate, text in _AFTER.items()}
