"""Italian nouns for what people do for a living."""

from typing import Final

OCCUPATIONS: Final = frozenset(
    """
    infermiera infermiere medico medica dottore dottoressa insegnante maestra maestro professore
    professoressa prof ingegnere ingegnera avvocato avvocata avvocatessa architetto architetta
    progettista sviluppatore sviluppatrice programmatore programmatrice panettiere panettiera fornaio
    fornaia cuoco cuoca chef pasticcere pasticciera pasticcera pasticciere cameriere cameriera idraulico
    idraulica elettricista falegname contabile commercialista giornalista scrittore scrittrice redattore
    redattrice traduttore traduttrice interprete fotografo fotografa musicista cantante attore attrice
    pittore pittrice artista ballerino ballerina studente studentessa ricercatore ricercatrice
    scienziato scienziata biologo biologa chimico chimica fisico fisica matematico matematica storico
    docente bibliotecario bibliotecaria dentista veterinario veterinaria farmacista chirurgo chirurga
    psicologo psicologa psichiatra terapeuta fisioterapista ostetrica ostetrico paramedico pompiere
    pompiera poliziotto poliziotta carabiniere soldato soldatessa pilota autista meccanico meccanica
    contadino contadina agricoltore agricoltrice giardiniere giardiniera fioraio fioraia macellaio
    macellaia pescatore pescatrice barbiere parrucchiere parrucchiera sarto sarta cassiere cassiera
    impiegato impiegata segretario segretaria assistente dirigente consulente analista commesso commessa
    venditore venditrice regista produttore produttrice tecnico tecnica saldatore saldatrice muratore
    postino postina corriere barista sommelier allenatore allenatrice educatore educatrice tata
    babysitter giudice notaio notaia politico economista bancario bancaria agente imprenditore
    imprenditrice fondatore fondatrice apicoltore apicoltrice vignaiolo vignaiola illustratore
    illustratrice grafico grafica animatore animatrice curatore curatrice archeologo archeologa geologo
    geologa astronomo astronoma statistico sistemista amministratore amministratrice ottico ottica
    radiologo radiologa cardiologo cardiologa pediatra neurologo neurologa nutrizionista dietista
    ceramista liutaio liutaia compositore compositrice violinista pianista chitarrista batterista
    operaio operaia magazziniere magazziniera camionista tassista guida bagnino bagnina casalinga
    casalingo libraio libraia logopedista estetista restauratore restauratrice tirocinante stagista
    marinaio orologiaio orologiaia gelataio gelataia pizzaiolo pizzaiola responsabile manager designer
    copywriter fabbro minatore badante colf bracciante operatore operatrice oss bidello bidella portiere
    portinaia portinaio custode guardiano guardia vigile vigilessa vigilante bigliettaio bigliettaia
    ferroviere ferroviera macchinista capotreno controllore tranviere autotrasportatore trasportatore
    facchino portuale gruista carpentiere imbianchino piastrellista lattoniere stuccatore decoratore
    geometra perito tornitore fresatore montatore manutentore carrozziere gommista benzinaio elettrauto
    vetraio tappezziere tappezziera materassaio mobiliere ebanista intagliatore scultore scultrice
    marmista cavatore boscaiolo boscaiola allevatore allevatrice pastore pastora mungitore casaro casara
    mugnaio mugnaia norcino pescivendolo pescivendola fruttivendolo fruttivendola ortolano ortolana
    salumiere salumiera droghiere tabaccaio tabaccaia edicolante giornalaio giornalaia negoziante
    commerciante ambulante rappresentante albergatore albergatrice oste ostessa ristoratore ristoratrice
    lavapiatti bartender barman barlady cioccolatiere cioccolataio birraio vinaio enologo enologa
    agronomo agronoma erborista modista stilista modella modello ricamatrice tessitrice tessitore
    magliaia calzolaio calzolaia pellettiere orafo orafa gioielliere gioielliera truccatrice truccatore
    tatuatore tatuatrice massaggiatore massaggiatrice osteopata podologo podologa igienista odontoiatra
    odontotecnico anestesista ginecologo ginecologa dermatologo dermatologa oncologo oncologa oculista
    ortopedico ortopedica urologo pneumologo puericultrice levatrice caposala primario becchino prete
    parroco frate suora monaca diacono sacrestano catechista missionario magistrato magistrata
    cancelliere ufficiale maresciallo brigadiere caporale sergente colonnello capitano capitana
    finanziere alpino bersagliere paracadutista guardaparco forestale pubblicista cronista inviata
    inviato corrispondente conduttore conduttrice speaker blogger youtuber streamer influencer podcaster
    editore editrice tipografo tipografa correttore correttrice romanziere poeta poetessa sceneggiatore
    sceneggiatrice fumettista vignettista cartonista doppiatore doppiatrice burattinaio burattinaia
    giocoliere acrobata coreografo coreografa danzatore danzatrice soprano tenore corista organista
    flautista violoncellista sassofonista trombettista cantautore cantautrice rapper dj direttore
    direttrice preside rettore rettrice vicepreside formatore formatrice istruttore istruttrice arbitro
    calciatore calciatrice atleta pugile fantino maniscalco dogsitter toelettatore toelettatrice
    addestratore addestratrice guardiacaccia informatico informatica webmaster tester ragioniere
    ragioniera revisore broker assicuratore assicuratrice esattore centralinista receptionist hostess
    steward comandante palombaro sommozzatore sommozzatrice skipper mozzo nostromo timoniere
    guardiamarina sindaco sindaca assessore assessora deputato deputata senatore senatrice ministro
    ministra diplomatico diplomatica ambasciatore ambasciatrice console sindacalista attivista
    antropologo antropologa sociologo sociologa filosofo filosofa linguista geografo geografa cartografo
    meteorologo meteorologa botanico botanica zoologo zoologa ecologo ecologa genetista virologo
    virologa radiografo astronauta spazzino spazzina netturbino netturbina giostraio spazzacamino
    antennista addetto addetta caporeparto capocantiere capoturno caposquadra collaudatore collaudatrice
    coordinatore coordinatrice supervisore rider fattorino fattorina stiratrice lavandaia domestica
    governante maggiordomo bambinaia baby-sitter tuttofare freelance artigiano artigiana apprendista
    archivista
    """.split()
)
OCCUPATION_ENDINGS: Final = ("ologo", "ologa", "terapista", "terapeuta", "grafo", "grafa")
