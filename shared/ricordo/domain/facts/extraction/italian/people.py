"""Italian nouns for people and animals in somebody's life."""

from typing import Final

from ricordo.domain.facts.extraction.grammar import Gender, Kin
from ricordo.domain.facts.extraction.phrases import Reader, Rule, compile_phrases

_NOUNS: Final[tuple[tuple[str, Gender, str], ...]] = (
    ("has_sibling", "f", "sorella/sorelle sorellina/sorelline sorellastra/sorellastre gemella"),
    ("has_sibling", "m", "fratello/fratelli fratellino/fratellini fratellastro/fratellastri gemello"),
    ("has_parent", "f", "madre mamma matrigna"),
    ("has_parent", "m", "padre papà babbo patrigno"),
    ("has_parent", "", "genitore/genitori"),
    ("has_child", "f", "figlia/figlie bambina/bambine bimba/bimbe figliastra gemelle/gemelle"),
    ("has_child", "m", "figlio/figli bambino/bambini bimbo/bimbi figliastro gemelli/gemelli"),
    ("partner", "f", "moglie fidanzata compagna ragazza sposa"),
    ("partner", "m", "marito fidanzato compagno ragazzo sposo"),
    ("partner", "", "partner"),
    ("friend", "f", "amica/amiche"),
    ("friend", "m", "amico/amici"),
    (
        "knows",
        "f",
        """
    vicina coinquilina padrona capa maestra professoressa allenatrice dottoressa terapeuta parrucchiera
    psicologa
    """,
    ),
    (
        "knows",
        "m",
        """
    vicino/vicini coinquilino/coinquilini padrone capo maestro professore allenatore dottore parrucchiere
    psicologo
    """,
    ),
    ("knows", "", "collega/colleghi conoscente dentista insegnante"),
    (
        "related_to",
        "f",
        """
    zia/zie nonna/nonne cugina/cugine suocera cognata/cognate nuora madrina nipotina bisnonna
    """,
    ),
    (
        "related_to",
        "m",
        """
    zio/zii nonno/nonni cugino/cugini suocero cognato/cognati genero padrino nipotino bisnonno
    """,
    ),
    ("related_to", "", "nipote/nipoti parente/parenti"),
    (
        "has_pet",
        "m",
        """
    cane/cani asino/asini maiale/maiali pesce/pesci gatto/gatti cagnolino/cagnolini gattino/gattini
    micio/mici cucciolo/cuccioli coniglio/conigli coniglietto criceto/criceti pappagallo/pappagalli
    pappagallino canarino/canarini pesciolino/pesciolini cavallo/cavalli pony furetto labrador beagle
    bassotto barboncino pastore_tedesco meticcio
    """,
    ),
    (
        "has_pet",
        "f",
        """
    cagnolina/cagnoline gallina/galline capra/capre pecora/pecore anatra/anatre gatta/gatte
    gattina/gattine micia/micie cucciola/cucciole coniglia tartaruga/tartarughe cavalla cagna
    """,
    ),
)


def _kin() -> dict[str, Kin]:
    nouns: dict[str, Kin] = {}
    for predicate, gender, group in _NOUNS:
        for forms in group.split():
            singular, _, plural = forms.partition("/")
            nouns[singular] = Kin(predicate, singular, gender)
            if plural:
                nouns[plural] = Kin(predicate, singular, gender, plural=True)
    return nouns


KIN: Final = _kin()

ADJECTIVES: Final = frozenset(
    """
    maggiore minore grande piccolo piccola piccoli piccole grandi migliore migliori caro cara cari care
    vecchio vecchia nuovo nuova gemello gemella primogenito primogenita più adorato adorata bravo brava
    bella bello nero nera bianco bianca rosso rossa grigio grigia stretta stretto carissima carissimo
    unica unico secondo seconda primo prima dolce amata amato storica storico due tre quattro cinque
    vera vero futura tigrato tigrata adottivo adottiva neri nere bianchi bianche rossi rosse grigi
    grigie splendida splendido meravigliosa meraviglioso
    """.split()
)
NAMING: Final = compile_phrases(
    (
        (
            Rule("name", Reader.NAME),
            """
    di nome
    chiamato|chiamata|chiamati|chiamate
    che si chiama|chiamano
    che ho|abbiamo chiamato|chiamata
    che si_chiama
    il|la cui nome è
    si chiama|chiamano
    """,
        ),
    ),
    {},
)
COMPANIONS: Final = frozenset(
    """
    classe scuola stanza lavoro corso università casa banco squadra liceo viaggio infanzia pianerottolo
    ufficio
    """.split()
)
