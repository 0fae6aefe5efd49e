"""Italian nouns that an object must be among for its phrase to state a fact."""

from typing import Final


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


LANGUAGES: Final = _words(
    """
    inglese italiano francese tedesco spagnolo portoghese olandese polacco ceco slovacco russo ucraino
    greco turco arabo ebraico persiano hindi urdu bengalese cinese mandarino cantonese giapponese
    coreano vietnamita thailandese indonesiano svedese norvegese danese finlandese ungherese rumeno
    romeno bulgaro serbo croato sloveno albanese irlandese gallese catalano basco galiziano latino
    esperanto swahili islandese estone lettone lituano maltese napoletano siciliano sardo veneto
    friulano ladino piemontese dialetto
    """
)
CONDITIONS: Final = _words(
    """
    asma diabete emicrania emicranie epilessia ansia depressione adhd autismo insonnia artrite artrosi
    ipertensione anemia eczema psoriasi celiachia ipotiroidismo ipertiroidismo endometriosi fibromialgia
    scoliosi acufene dislessia reflusso gastrite sciatica glaucoma vertigini osteoporosi lupus allergie
    colite cervicale tumore pressione diabetico diabetica asmatico asmatica celiaco celiaca epilettico
    epilettica dislessico dislessica sordo sorda daltonico daltonica anemico anemica sclerosi sindrome
    disturbo malattia rinite miope iperteso ipertesa autistico autistica
    """
)
OWNABLES: Final = _words(
    """
    auto automobile macchina bici bicicletta moto motocicletta scooter motorino vespa casa appartamento
    villa villetta barca camper furgone chitarra pianoforte piano violino telescopio fotocamera
    macchina_fotografica drone fattoria negozio ristorante bar libreria panetteria terreno giardino orto
    vigneto canoa kayak sassofono computer portatile tablet stampante giradischi trattore roulotte baita
    garage box tastiera bottega batteria monopattino surf console gommone monolocale bilocale casetta
    """
)
INSTRUMENTS: Final = _words(
    """
    pianoforte piano chitarra violino violoncello batteria basso flauto clarinetto sassofono sax tromba
    arpa ukulele fisarmonica organo viola oboe contrabbasso mandolino banjo armonica tastiera tastiere corno
    tuba trombone fagotto ottavino clavicembalo cembalo liuto zampogna cornamusa percussioni timpani tamburo
    tamburi tamburello bongo cajon djembe bandoneon organetto theremin xilofono vibrafono marimba sitar
    balalaika bouzouki ocarina kalimba handpan piffero cetra sintetizzatore synth tablas launeddas
    """
)
OCCUPATIONS: Final = _words(
    """
    infermiera infermiere medico dottore dottoressa insegnante maestra maestro professore professoressa
    ingegnere ingegnera avvocato avvocata avvocatessa architetto architetta progettista sviluppatore
    sviluppatrice programmatore programmatrice panettiere panettiera fornaio cuoco cuoca chef pasticcere
    pasticciera pasticcera cameriere cameriera idraulico elettricista falegname contabile commercialista
    giornalista scrittore scrittrice redattore redattrice traduttore traduttrice interprete fotografo
    fotografa musicista cantante attore attrice pittore pittrice artista ballerino ballerina studente
    studentessa ricercatore ricercatrice scienziato scienziata biologo biologa chimico chimica fisico
    matematico matematica storico docente bibliotecario bibliotecaria dentista veterinario veterinaria
    farmacista chirurgo chirurga psicologo psicologa psichiatra terapeuta fisioterapista ostetrica
    ostetrico paramedico pompiere poliziotto poliziotta carabiniere soldato pilota autista meccanico
    contadino contadina agricoltore agricoltrice giardiniere fioraio fioraia macellaio pescatore
    barbiere parrucchiere parrucchiera sarto sarta cassiere cassiera impiegato impiegata segretario
    segretaria assistente dirigente consulente analista commesso commessa venditore venditrice regista
    produttore produttrice tecnico tecnica saldatore muratore postino postina corriere barista sommelier
    allenatore allenatrice educatore educatrice tata babysitter giudice notaio politico economista
    bancario bancaria agente imprenditore imprenditrice fondatore apicoltore apicoltrice vignaiolo
    illustratore illustratrice grafico grafica animatore curatrice archeologo archeologa geologo geologa
    astronomo astronoma statistico sistemista amministratore ottico radiologo radiologa cardiologo
    cardiologa pediatra neurologo nutrizionista dietista ceramista liutaio compositore violinista
    pianista chitarrista batterista operaio operaia magazziniere camionista tassista guida bagnino
    casalinga pensionata_ libraio libraia logopedista estetista restauratore restauratrice tirocinante
    stagista marinaio orologiaio gelataio pizzaiolo responsabile manager designer copywriter
    """
)
ROLES: Final = _words(
    """
    vegetariano vegetariana vegano vegana introverso introversa estroverso estroversa perfezionista
    pacifista femminista ambientalista ateo atea agnostico agnostica buddista cattolico cattolica
    cristiano cristiana musulmano musulmana ebreo ebrea protestante vedovo vedova orfano orfana mamma
    papà madre padre nonna nonno pensionato pensionata veterano ciclista podista nuotatore nuotatrice
    sognatore sognatrice ottimista pessimista mancino mancina astemio astemia romantico romantica
    mattiniero mattiniera italiano italiana francese tedesco tedesca spagnolo spagnola inglese americano
    americana irlandese portoghese polacco polacca svizzero svizzera austriaco austriaca greco greca
    turco russo russa ucraino ucraina rumeno rumena brasiliano brasiliana argentino argentina indiano
    indiana cinese giapponese marocchino marocchina egiziano svedese romano romana milanese napoletano
    napoletana torinese siciliano siciliana sardo sarda toscano toscana fumatore fumatrice nottambulo
    nottambula collezionista scout
    """
)
BREEDS: Final = _words(
    """
    labrador beagle bassotto barboncino levriero bulldog boxer husky chihuahua carlino meticcio siamese
    persiano soriano cane gatto cucciolo gattino coniglio criceto pappagallo tartaruga cavallo
    """
)
ORGANISATIONS: Final = _words(
    """
    canile rifugio fondazione mensa centro ospedale clinica scuola università liceo panetteria
    pasticceria ristorante banca biblioteca museo fabbrica startup start-up supermercato hotel albergo
    bar pizzeria negozio libreria farmacia ufficio agenzia studio teatro cinema asilo fattoria
    laboratorio istituto chiesa club squadra coro band banda palestra gruppo orchestra associazione sindacato
    partito società azienda_ ditta_ cooperativa onlus ong aeroporto officina salone giornale rivista
    casa_editrice ministero tribunale comune politecnico accademia conservatorio compagnia cantina
    enoteca gelateria ferrovia zoo ambasciata posta poste forno trattoria carrozzeria circolo parrocchia
    filodrammatica facoltà cantiere birrificio
    """
)
VAGUE_ORGANISATIONS: Final = _words("azienda ditta posto casa")
AREAS: Final = _words("campagna montagna periferia collina")
MONTHS: Final = _words(
    "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre"
)
_UNITS = "uno due tre quattro cinque sei sette otto nove".split()
_TEENS = "dieci undici dodici tredici quattordici quindici sedici diciassette diciotto diciannove".split()
_TENS = "venti trenta quaranta cinquanta sessanta settanta ottanta novanta".split()


def _numbers() -> dict[str, str]:
    numbers = {word: str(n) for n, word in enumerate(_UNITS + _TEENS, 1)}
    for tens, word in enumerate(_TENS, 2):
        numbers[word] = numbers[f"{word[:-1]}'"] = str(10 * tens)
        for unit, small in enumerate(_UNITS, 1):
            stem = word[:-1] if small[0] in "uo" else word
            numbers[stem + ("tré" if small == "tre" else small)] = str(10 * tens + unit)
            numbers[stem + small] = str(10 * tens + unit)
    return numbers


NUMBERS: Final = _numbers()
