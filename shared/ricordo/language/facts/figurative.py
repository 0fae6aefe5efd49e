"""Words that are not meant as they are written: figures of speech and laughter."""

import re
from typing import Final

NO_JOBS: Final = frozenset(
    """
    matter result rule team group couple whole favor favour consequence precaution unit pair dog beast
    tempo prima sempre solito volta matto matta matti matte pazzo pazza pazzi pazze dannato dannata
    dannati mulo muli bestia bestie schiavo schiava schiavi forsennato ossesso ossessi animale animali
    cane cani treno trattore posso possiamo va viene capita tutti tanti molti chiunque vuoi
    """.split()
)
"""What is done "as a matter of fact" or "come un mulo" is no job."""
SPORTS: Final = frozenset(
    """
    yoga pilates judo karate taekwondo aikido boxe kickboxing boxing jiu-jitsu capoeira danza ballet zumba
    nuoto atletica scherma ginnastica equitazione canottaggio canoa vela arrampicata crossfit spinning
    teatro improv parkour tango salsa bachata gymnastics fencing archery athletics triathlon ceramica
    pottery crochet knitting uncinetto cross-fit bouldering
    """.split()
)
"""What is done, not played."""
GAMBLES: Final = frozenset(
    """
    lotto superenalotto enalotto totocalcio lotteria lotterie schedina schedine slot slots gratta vinci
    videopoker lottery lotteries scratchcards pools fool market victim fare play
    """.split()
)
"""What people play for money, or to others: neither a sport nor a game they are fond of."""
TOOLS: Final = frozenset(
    """
    python java javascript typescript kotlin scala matlab linux html css php sql excel photoshop docker react
    word powerpoint
    """.split()
)
"""What one "knows" that is nobody."""
BRANDS: Final = frozenset(
    """
    volvo saab audi bmw volkswagen vw toyota honda mazda nissan subaru suzuki mitsubishi hyundai kia skoda
    seat dacia peugeot citroën citroen opel vauxhall chevrolet chevy buick cadillac chrysler dodge jeep
    porsche maserati lamborghini bentley bugatti jaguar ducati yamaha kawasaki harley triumph aprilia
    piaggio vespa lambretta fender gibson stradivari steinway brompton cannondale bianchi pinarello
    colnago massey landini lamborghini
    """.split()
)
"""Makers whose things people own and speak of, capital or not."""
NOT_FOR_A_LIVING: Final = frozenset(
    """
    loser winner killer liar monster teenager beginner stranger loner believer sucker keeper sinner
    quitter hoarder dreamer thinker talker walker lover hater fighter survivor sleeper riser over-thinker
    overthinker eater drinker smoker speaker listener learner reader member owner user customer newcomer
    outsider insider foreigner northerner southerner londoner villager islander commuter traveller
    traveler camper hiker biker cyclist gamer player follower number matter danger disaster mother father
    brother sister daughter grandmother grandfather partner neighbour neighbor founder poster character
    creature visitor donor doctor minor major junior senior error mirror terror tutor tumor stepmother
    stepfather perfectionist optimist pessimist realist idealist feminist pacifist atheist minimalist
    narcissist racist sexist fascist communist socialist capitalist nationalist activist tourist purist
    egoist masochist extremist environmentalist human woman man gentleman madman caveman snowman superman
    layman everyman freshman german roman ottoman talisman whisper hamster retriever terrier pointer
    setter boxer rottweiler labrador fever bummer stunner goner breather charmer stickler crier cuddler
    snorer runner swimmer skier surfer climber early-riser shower dinner supper summer winter
    procrastinator traitor monitor vector elder younger older taller better buster faster offer order
    paper letter center bigger smaller taller heavier lighter closer further quicker slower nicer happier
    lower higher wider earlier later sooner turista egoista ottimista pessimista perfezionista realista
    idealista femminista pacifista razzista fascista comunista socialista protagonista ciclista maratoneta
    nazista narcisista altruista artista_ musicista_ amante cantante_ gigante elefante istante diamante
    ristorante contante volante gitante mutante ignorante arrogante elegante importante interessante
    pesante distante abitante mare_ mestiere piacere dovere quartiere cartiere bicchiere bandiera maniera
    preghiera primavera_ cintura_ rumore amore dolore calore favore motore dottore_ tutore fautore
    genitore sognatore sognatrice lettore lettrice fumatore fumatrice bevitore camminatore nuotatore
    nuotatrice viaggiatore viaggiatrice pensatore traditore peccatore vincitore perdente paio primaio
    guaio gaio vivaio paia baia raro caro chiaro avaro amaro somaro ignaro logo catalogo dialogo
    collezionista tifoso antara zanzara gara bara tara chitarra stronzo tiranno messaggero giocatore
    giocatrice amatore amatrice spettatore spettatrice_ bravo furbo
    """.split()
)
"""What people are without being paid for it, and other words that end like jobs."""
NO_ALLERGENS: Final = frozenset(
    """
    riunione riunioni lavoro capo sveglia sveglie burocrazia tasse stupidità idiozia ipocrisia ignoranza
    persone gente bugie ritardi regole complimenti impegni matematica sport palestra scuola compiti
    novità cambiamenti call mail email meeting meetings work boss bureaucracy taxes stupidity nonsense
    bullshit hypocrisy ignorance people lies drama rules homework compliments commitment maths math
    exercise gym school change changes calls emails alarms fun responsibility
    """.split()
)
"""What people say that they are allergic to and mean that they dislike it."""
ALLERGENS: Final = frozenset(
    """
    polline pollini graminacee ambrosia acari polvere muffa pelo gatto gatti cane cani latte lattosio
    glutine grano uova uovo arachidi noci nocciole mandorle pesce crostacei molluschi gamberi soia
    sesamo fragole kiwi pomodoro pomodori nichel lattice penicillina aspirina api vespe pollen ragweed
    grass dust mites mold mould fur cat cats dog dogs milk dairy lactose gluten wheat egg eggs peanut
    peanuts nuts almonds walnuts cashews fish shellfish shrimp soy sesame strawberries kiwi tomatoes
    nickel latex penicillin aspirin ibuprofen bees wasps
    """.split()
)
"""What an allergy is to even when the writer laughs about it."""
IDIOMS: Final = frozenset(
    {"per capello", "da pelare", "da pigliare", "in gola", "to fry", "to flog", "to skin"}
)
"""What follows an animal in a figure of speech that tells of no pet: "un gatto per capello"."""
_LAUGHTER: Final = re.compile(
    r"a?(?:h[aeiou]){2,}h?|a?(?:ha|ah){2,}|(?:e?he){2,}|(?:ah|eh|ih){2,}|x+d+|lol+|lmf?ao+|rofl|😂|🤣|😹|😆"
)


def is_laughter(word: str) -> bool:
    """Whether a word, in lower case, is a laugh: "ahahah", "lol"."""
    return _LAUGHTER.fullmatch(word) is not None
