"""Italian nouns for people and animals in somebody's life."""

from typing import Final

from ricordo.language.facts.grammar import Gender, Kin
from ricordo.language.facts.phrases import Reader, Rule, compile_phrases

_NOUNS: Final[tuple[tuple[str, Gender, str], ...]] = (
    ("has_sibling", "f", "sorella/sorelle sorellina/sorelline sorellastra/sorellastre gemella"),
    ("has_sibling", "m", "fratello/fratelli fratellino/fratellini fratellastro/fratellastri gemello"),
    ("has_parent", "f", "madre mamma matrigna mammina"),
    ("has_parent", "m", "padre papà babbo patrigno papi"),
    ("has_parent", "", "genitore/genitori"),
    (
        "has_child",
        "f",
        """
    figlia/figlie bambina/bambine bimba/bimbe figliastra primogenita secondogenita ragazzina
    piccolina gemelle/gemelle
    """,
    ),
    (
        "has_child",
        "m",
        """
    figlio/figli bambino/bambini bimbo/bimbi figliastro primogenito secondogenito ragazzino
    piccolino gemelli/gemelli
    """,
    ),
    ("partner", "f", "moglie fidanzata compagna ragazza sposa morosa mogliettina"),
    ("partner", "m", "marito fidanzato compagno ragazzo sposo moroso maritino"),
    ("partner", "", "partner"),
    ("friend", "f", "amica/amiche migliore_amica amichetta"),
    ("friend", "m", "amico/amici amicone amichetto"),
    (
        "knows",
        "f",
        """
    vicina coinquilina padrona capa maestra professoressa allenatrice dottoressa terapeuta parrucchiera
    psicologa dirimpettaia inquilina commercialista avvocata badante estetista logopedista
    fisioterapista sarta
    veterinaria alunna portinaia tutor prof pediatra titolare
    """,
    ),
    (
        "knows",
        "m",
        """
    vicino/vicini coinquilino/coinquilini padrone capo maestro professore allenatore dottore parrucchiere
    psicologo dirimpettaio inquilino/inquilini avvocato barbiere meccanico veterinario portinaio portiere
    commilitone compare relatore mister direttore alunno/alunni
    """,
    ),
    ("knows", "", "collega/colleghi conoscente/conoscenti responsabile dentista insegnante"),
    (
        "related_to",
        "f",
        """
    zia/zie nonna/nonne cugina/cugine suocera cognata/cognate nuora madrina nipotina/nipotine bisnonna
    prozia consuocera nonnina zietta pronipote figlioccia cuginetta/cuginette comare
    """,
    ),
    (
        "related_to",
        "m",
        """
    zio/zii nonno/nonni cugino/cugini suocero cognato/cognati genero padrino nipotino/nipotini bisnonno
    prozio consuocero nonnino zietto figlioccio cuginetto/cuginetti
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
    bassotto barboncino meticcio/meticci cagnone micione
    gattone bracco setter segugio spinone lagotto volpino cocker husky bulldog boxer carlino chihuahua
    levriero/levrieri
    maremmano dalmata rottweiler yorkshire terrier golden labradorino persiano certosino soriano siamese
    gallo mulo/muli
    puledro topolino/topolini cincillà geco/gechi serpente/serpenti pitone agnello/agnelli vitello/vitelli bue
    alpaca merlo porcellino/porcellini coniglione cagnaccio botolo gattaccio parrocchetto/parrocchetti
    inseparabile/inseparabili pinscher collie jack_russell
    """,
    ),
    (
        "has_pet",
        "f",
        """
    cagnolina/cagnoline gallina/galline capra/capre pecora/pecore anatra/anatre gatta/gatte
    gattina/gattine micia/micie cucciola/cucciole coniglia tartaruga/tartarughe cavalla cagna/cagne
    asina/asine mucca/mucche oca/oche testuggine/testuggini levriera meticcia bassotta barboncina labradorina
    cocorita/cocorite cincilla iguana calopsite cavia/cavie furetta capretta/caprette gattona
    cagnetta/cagnette
    bestiola tartarughina/tartarughine maialina scrofa bulldoga volpina
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
    nouns["ex"] = Kin("partner", "ex", over=True)
    return nouns


KIN: Final = _kin()

ADJECTIVES: Final = frozenset(
    """
    maggiore minore grande piccolo piccola piccoli piccole grandi migliore migliori caro cara cari care
    vecchio vecchia nuovo nuova gemello gemella primogenito primogenita più adorato adorata bravo brava
    bella bello nero nera bianco bianca rosso rossa grigio grigia stretta stretto carissima carissimo
    unica unico secondo seconda primo prima dolce amata amato storica storico due tre quattro cinque vera
    vero futura tigrato tigrata adottivo adottiva neri nere bianchi bianche rossi rosse grigi grigie
    splendida splendido meravigliosa meraviglioso povero povera defunto defunta compianto compianta
    mezzano mezzana ultimo ultima terzo terza anziano anziana matto matta pazzo pazza simpatico simpatica
    gelosa geloso ciccione ciccona obeso obesa pigro pigra tedesco siberiano siberiana persiano siamese
    retriever russell toy nano nana spelacchiato randagio randagia trovatello zoppo cieco lontano lontana
    acquisita acquisito giovane famoso famosa biologico biologica nera trentenne adolescente sportiva
    sportivo bravissima bravissimo bellissima bellissimo amatissimo amatissima
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
    che risponde al_nome_di
    che chiamiamo|chiamo
    il|la cui nome è
    si chiama|chiamano
    """,
        ),
    ),
    {},
)
COMPANIONS: Final = frozenset(
    """
    fisica matematica italiano inglese storia latino greco chimica scienze arte musica chitarra pianoforte
    violino danza nuoto yoga tennis ginnastica filosofia francese tedesco spagnolo canto
    classe scuola stanza lavoro corso università casa banco squadra liceo viaggio infanzia pianerottolo
    ufficio
    """.split()
)
MEETING_PLACES: Final = frozenset(
    """
    ufficio lavoro scuola palestra corso coro piano bar squadra parrocchia università liceo circolo
    condominio calcetto catechismo oratorio reparto
    """.split()
)
