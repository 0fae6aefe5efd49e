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
    friulano ladino piemontese dialetto hausa igbo zulu somalo tigrino wolof amarico yoruba lingala
    malgascio berbero afrikaans marathi telugu malayalam tamil singalese nepalese pashto dari farsi
    curdo armeno georgiano azero kazako uzbeko mongolo tibetano birmano khmer laotiano tagalog filippino
    malese giavanese hawaiano maori quechua guaraní guarani bielorusso macedone bosniaco montenegrino
    lussemburghese fiammingo bretone scozzese occitano romancio yiddish romanì faroese lombardo milanese
    bergamasco bresciano genovese ligure romagnolo bolognese emiliano romanesco romano abruzzese
    pugliese barese salentino calabrese lucano arbëreshë grico griko sassarese algherese cimbro walser
    francoprovenzale patois lis moldavo punjabi
    """
)
FIELDS: Final = _words(
    """
    giurisprudenza medicina ingegneria fisica matematica biologia chimica economia psicologia filosofia
    lettere architettura geografia sociologia linguistica farmacia odontoiatria statistica antropologia
    archeologia veterinaria infermieristica informatica agraria geologia lingue
    """
)
"""What is studied, and done for nothing else: "she's doing law"."""
CONDITIONS: Final = _words(
    """
    asma diabete emicrania emicranie epilessia ansia depressione adhd autismo insonnia artrite artrosi
    ipertensione anemia eczema psoriasi celiachia ipotiroidismo ipertiroidismo endometriosi fibromialgia
    scoliosi acufene dislessia reflusso gastrite sciatica glaucoma vertigini osteoporosi lupus allergie
    colite cervicale tumore pressione diabetico diabetica asmatico asmatica celiaco celiaca epilettico
    epilettica dislessico dislessica sordo sorda daltonico daltonica anemico anemica sclerosi sindrome
    disturbo malattia rinite miope iperteso ipertesa autistico autistica gotta parkinson alzheimer crohn
    diverticoli diverticolite ernia ulcera emorroidi calcoli linfoma melanoma hiv epatite cirrosi
    talassemia emofilia leucemia tiroidite hashimoto ovaio_policistico menopausa narcolessia bipolare
    schizofrenia anoressia bulimia disprassia discalculia asperger balbuzie rosacea vitiligine alopecia
    orticaria dermatite angina aritmia tachicardia fibrillazione cataratta astigmatismo astigmatico
    astigmatica miopia presbiopia presbite ipovedente cieco cieca daltonismo sordità ipoacusia tendinite
    borsite spondilite stenosi ernie lordosi neuropatia sla menière raynaud sinusite bronchite bpco
    enfisema apnee apnea anafilassi intolleranza colesterolo prediabete claustrofobia claustrofobico
    claustrofobica agorafobia aracnofobia nevralgia paraplegico paraplegica acufeni ptsd doc dca
    tunnel_carpale cistite favismo fibromialgico fibromialgica demenza infartuato cardiopatia
    cardiopatico cardiopatica bipolarismo favico ipotiroideo ipotiroidea maculopatia labirintite
    reumatismi ipercolesterolemia trombofilia vene_varicose varici lombalgia lombosciatalgia piorrea
    porfiria
    """
)
OWNABLES: Final = _words(
    """
    auto automobile macchina bici bicicletta moto motocicletta scooter motorino vespa casa appartamento
    villa villetta barca camper furgone chitarra pianoforte violino telescopio fotocamera
    macchina_fotografica drone fattoria negozio ristorante bar libreria panetteria terreno giardino orto
    vigneto canoa kayak sassofono computer portatile tablet stampante giradischi trattore roulotte baita
    garage box tastiera bottega batteria monopattino surf console gommone monolocale bilocale casetta
    veliero barca_a_vela gozzo yacht canotto catamarano moto_d'acqua fuoristrada suv utilitaria cabrio
    cabriolet decappottabile station_wagon berlina monovolume pulmino pick-up ibrida apecar ape tandem
    triciclo pattini sci snowboard sup violoncello ukulele mandolino tromba clarinetto flauto
    fisarmonica arpa sintetizzatore organo contrabbasso casale cascina masseria trullo rustico attico
    mansarda bifamiliare casolare capannone capanno serra uliveto oliveto frutteto bosco agriturismo
    albergo hotel b&b pub palestra edicola tabaccheria ferramenta officina pizzeria gelateria
    pasticceria farmacia merceria bancarella parrucchiere_ lavanderia pescheria macelleria bistrot
    osteria trattoria mac macbook iphone ipad smartphone smartwatch proiettore playstation xbox nintendo
    ps5 e-bike microscopio binocolo macchina_da_cucire telaio tornio acquario piscina sauna aereo
    aliante quad panda cinquecento lambretta ducati fiat alfa lancia ferrari maserati harley yamaha
    honda toyota subaru renault peugeot citroen ford audi bmw arnia arnie trattorino motozappa motosega
    barbecue frigo lavatrice lavastoviglie pc televisore tv televisione robot monopattini pedalò pattìno
    canoe ambulanza scuolabus
    """
)
INSTRUMENTS: Final = _words(
    """
    pianoforte piano chitarra violino violoncello batteria basso flauto clarinetto sassofono sax tromba
    arpa ukulele fisarmonica organo viola oboe contrabbasso mandolino banjo armonica tastiera tastiere
    corno tuba trombone fagotto ottavino clavicembalo cembalo liuto zampogna cornamusa percussioni
    timpani tamburo tamburi tamburello bongo cajon djembe bandoneon organetto theremin xilofono
    vibrafono marimba sitar balalaika bouzouki ocarina kalimba handpan piffero cetra sintetizzatore
    synth tablas launeddas chitarre sassofoni flauto_traverso violone clarino euphonium eufonio
    concertina melodica didgeridoo oud bodhran ghironda ciaramella friscalettu tamburelli
    campane_tubolari grancassa rullante congas
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
    nottambula collezionista scout valdese evangelico evangelica ortodosso ortodossa anglicano anglicana
    luterano luterana battista mormone testimone_di_geova induista sikh taoista pagano pagana laico
    laica credente praticante comunista socialista anarchico anarchica liberale monarchico repubblicana
    animalista attivista pescetariano pescetariana fruttariano onnivoro onnivora flexitariano crudista
    celibe nubile divorziato divorziata separata zia zio suocera suocero bisnonna bisnonno gemello
    gemella primogenito primogenita figlio_unico figlia_unica neomamma neopapà maratoneta alpinista
    scalatore scalatrice arrampicatore camminatore camminatrice surfista sciatore sciatrice velista
    subacqueo pescatore_sportivo cinofilo gattaro gattara bibliofilo cinefilo cinefila melomane
    filatelico numismatico birdwatcher micologo tifoso tifosa juventino juventina interista milanista
    romanista laziale napoletanista granata sampdoriano genoano atalantino ambidestro sonnambulo
    sonnambula nomade pendolare fuorisede emigrato emigrata immigrato immigrata rifugiato rifugiata
    profugo profuga apolide invalido invalida donatore donatrice ex_fumatore gamer nerd genovese ligure
    piemontese lombardo lombarda veneto veneta veneziano veneziana friulano friulana triestino triestina
    trentino trentina altoatesino bolognese emiliano emiliana romagnolo romagnola fiorentino fiorentina
    pisano pisana livornese senese umbro umbra marchigiano marchigiana abruzzese molisano molisana
    campano campana salernitano barese pugliese salentino salentina leccese lucano lucana calabrese
    catanese palermitano palermitana messinese cagliaritano bergamasco bergamasca bresciano bresciana
    veronese padovano padovana vicentino belga olandese danese norvegese finlandese islandese estone
    lettone lituano lituana ceco ceca slovacco slovacca ungherese sloveno slovena croato croata bosniaco
    bosniaca serbo serba montenegrino macedone albanese kosovaro kosovara bulgaro bulgara moldavo
    moldava bielorusso bielorussa georgiano georgiana armeno armena scozzese gallese maltese cipriota
    libanese siriano siriana iracheno iraniano iraniana israeliano israeliana palestinese egiziana
    tunisino tunisina algerino algerina libico senegalese nigeriano nigeriana ghanese etiope eritreo
    eritrea somalo somala ivoriano camerunese congolese keniota sudafricano pakistano pakistana
    bengalese nepalese thailandese vietnamita coreano coreana filippino filippina indonesiano malese
    australiano australiana canadese messicano messicana cubano cubana colombiano colombiana peruviano
    peruviana cileno cilena venezuelano venezuelana ecuadoriano ecuadoriana boliviano uruguaiano ariete
    scorpione sagittario capricorno gay lesbica bisessuale trans asessuale partigiano partigiana reduce
    ex-combattente combattente repubblichino garibaldino boy-scout emigrante contrabbandiere trovatello
    obiettore disertore staffetta deportato deportata internato prigioniero superstite sopravvissuto
    """
)
BREEDS: Final = _words(
    """
    labrador beagle bassotto barboncino levriero bulldog boxer husky chihuahua carlino meticcio siamese
    persiano soriano cane gatto cucciolo gattino coniglio criceto pappagallo tartaruga cavallo bracco
    setter pointer segugio spinone lagotto volpino pastore cocker springer golden retriever terrier
    jack_russell maltese shih-tzu pechinese pinscher dobermann rottweiler alano mastino san_bernardo
    terranova dalmata cane_corso corso shiba akita samoiedo malamute collie border whippet galgo podenco
    yorkshire schnauzer maremmano bolognese barbone levriera barboncina meticcia gatta cagna cagnolino
    bastardino bastardina randagio randagia certosino certosina maine coon ragdoll birmano bengala
    sphynx norvegese angora europeo tigrato gattona gattone soriana pappagallino cocorita cacatua
    canarino calopsite inseparabile iguana geco camaleonte pitone cavalla puledro asino asina mulo pony
    furetto cincillà gerbillo topo ratto coniglietto porcellino testuggine gallina gallo oca anatra
    capra pecora maiale
    """
)
ORGANISATIONS: Final = _words(
    """
    canile rifugio fondazione mensa centro ospedale clinica scuola università liceo panetteria
    pasticceria ristorante banca biblioteca museo fabbrica startup start-up supermercato hotel albergo
    bar pizzeria negozio libreria farmacia ufficio agenzia studio teatro cinema asilo fattoria
    laboratorio istituto chiesa club squadra coro band banda palestra gruppo orchestra associazione
    sindacato partito società azienda_ ditta_ cooperativa onlus ong aeroporto officina salone giornale
    rivista casa_editrice ministero tribunale comune politecnico accademia conservatorio compagnia
    cantina enoteca gelateria ferrovia zoo ambasciata posta poste forno trattoria carrozzeria circolo
    parrocchia filodrammatica facoltà cantiere birrificio vivaio magazzino deposito stabilimento mulino
    cava miniera darsena macelleria pescheria fruttivendolo fioraio panificio salumeria bistrot osteria
    pub tavola_calda autogrill rosticceria bottega ferramenta edicola tabaccheria cartoleria merceria
    profumeria gioielleria lavanderia sartoria calzaturificio salumificio caseificio pastificio
    oleificio frantoio vetreria acciaieria fonderia raffineria segheria tipografia stamperia
    concessionaria autosalone autolavaggio parrucchiere ambulatorio poliambulatorio studio_medico
    studio_dentistico consultorio rsa casa_di_riposo ospizio asl questura caserma commissariato
    prefettura municipio anagrafe parlamento procura multinazionale consorzio associazioni confraternita
    pro_loco proloco comitato collettivo centro_sociale polisportiva quartetto trio duo filarmonica
    corale orchestrina banda_musicale compagnia_teatrale scout agesci avis caritas croce_rossa
    protezione_civile cgil cisl uil arci anpi cai wwf legambiente greenpeace amnesty emergency
    azione_cattolica parrocchiale oratorio moschea sinagoga monastero convento seminario maneggio
    scuderia stalla agriturismo gattile acquario osservatorio galleria archivio archivi casinò terme
    resort ostello campeggio campus ateneo dipartimento bocconi sapienza luiss foscari nido materna
    elementari call_center callcenter redazione studio_legale assicurazione assicurazioni immobiliare
    agenzia_viaggi cartiera ferriera conceria tessitura maglificio mobilificio falegnameria cementificio
    zuccherificio
    """
)
VAGUE_ORGANISATIONS: Final = _words("azienda ditta posto casa")
AREAS: Final = _words(
    """
    campagna montagna periferia collina
    """
)
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
        numbers[word[:-1] + "un"] = str(10 * tens + 1)  # "ventun anni"
    return numbers


NUMBERS: Final = _numbers()
