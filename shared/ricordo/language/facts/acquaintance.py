"""Whether a name that nothing ties to the user is of somebody they know, or of somebody one reads of.

"Anna works at Fiat" tells of an Anna the user knows: a bare given name is how one speaks of people one
knows. Who is named in full, or by a surname alone, is somebody the world knows ("Marie Curie", "Messi"),
unless the message introduced them before ("my friend Marco Rossi").
"""

from typing import Final

from ricordo.language.names import is_given, is_place

TITLES: Final = frozenset(
    "mr mr. mrs mrs. ms ms. dr dr. prof prof. sig. sig.ra dott. dott.ssa avv. ing. suor don".split()
)
"""What stands before the name of somebody one knows, and is part of it."""

_FAMOUS: Final = frozenset(
    """
    achille afrodite amleto annibale aristotele aristotle atena bach banksy batman beethoven beyoncé
    beyonce bono boccaccio bolt botticelli bowie brahms brunelleschi budda buddha caesar calvino
    caravaggio cenerentola cervantes chaplin cher chopin churchill cicero cicerone cinderella cleopatra
    colombo columbus confucio confucius copernico copernicus cristo dalì dante darwin dickens dickinson
    donatello dostoevskij drake dracula dumbledore durer eminem enea ercole eracle federer fibonacci
    frankenstein freud frodo galileo gandalf gandhi garibaldi geppetto gesù giotto godzilla goethe
    gollum hamlet handel hannibal hegel hercules hermione hitler houdini hume ibsen jesus kafka kant
    kepler ladygaga leopardi lincoln madonna macbeth machiavelli magellano mandela manzoni maometto
    maradona mattarella marx messi michelangelo mina modugno mozart mussolini nadal napoleon napoleone
    nerone newton nietzsche noè odin odisseo omero ovidio orwell ofelia pavarotti pelé petrarca picasso
    pinocchio pirandello platone plato poirot ptolemy puccini pitagora pythagoras rembrandt rihanna
    rommel ronaldo rossini raffaello samson satana shakespeare shakira sherlock shrek sinner socrate
    socrates sofocle spock stalin superman tolkien tolstoj totò totti thor tesla titian trump turing
    tutankhamon ulysses verdi vespucci virgilio vivaldi voldemort voltaire wagner woolf yoda zendaya
    zeus zidane
    """.split()
)
"""Known by one name, which people one knows seldom bear: none is of the list of given names."""

GIVEN: Final = frozenset(
    """
    abdou abena abdel abdul abeba abiodun adaeze adama adjoa agnieszka aicha aiko akua aleksander
    aleksandra alioune alistair amadou amina aminata amrita anders aneta angharad anh anselm aoife arash
    arben arun arvid ashok asif ayasha ayla ayumi aziz babajide baraka bartosz bashir bathsheba bilal
    birgit birgitta bjarne bogdan borislav branko bronwyn carys cécile chiamaka chidi chike chinedu ciarán
    cillian clémence dagny danuta deepak dejan denisa devika dewi diarmuid dimitra dimitris dorota dragan
    dusan ebba ebru eimear eirik elif elodie emeka emre erzsebet esra esperanza eszter ewa fatma fatou
    fatoumata femi fen ferran feng fionn folake gaspare gheorghe gintaras graciela gudrun guadalupe gunnar
    habib hakan halina hamza hana hanna haruka haruto hideo hye hyun-woo idris ife ifeoma iker imani inés
    inga ioana ionela isak itziar jakub jamila janek jarek jasmina jelena jiho jihoon jin jing joaquín
    józef joão juma kamala kamil karolina kasia katarzyna kavita kazimierz kehinde keiko kenta kostas
    krystyna krzysztof kwabena kwasi lamine lasse latif leyla li lieke linh linnea liv ljubica lorcan
    lothar ludmila ludmilla maja malika malgorzata małgorzata mamadou manoj mariama marieke marit mateo
    mateusz meera mei meike mercedes mihai mihaela milan milica milos mimmo ming mireia mirela moussa
    nabil nadège nana nanako naoki nasreen nguyen niamh nives nkechi noor noura nuno obinna oksana olu
    oluwaseun onur osman ousmane oyelaran padraig pavel peppe pilar prakash priyanka quang rahel rahim
    rajesh ramesh ramón rana ranjit rasheed rasmus rayan reem renée reza rocío rokas roísín róisín rosalba
    ruslan saanvi saeed sakura saleh salim sanna santiago santino saoirse sebnem serhii shanice shreya
    sigrid siiri sławomir stanislav stelios sunita svein svenja syed tadeusz takumi tamar tendai thabo
    thuy tiago tomás torsten tove tunde turid tuan ulrike umar usha vanja vasile vasco veronika vinh
    violeta wafa wangari wei wiktoria wioletta wojtek wojciech xavi ximena xin xiumei yannick yiannis ying
    yuko zainab zahra zdenek zeynep zhen zofia zoran assunta carmelo ermelinda nunzio immacolata
    addolorata incoronata sossio donato donata tonio tonino mimma mimì totuccia ninetta oreste ezio
    ersilia egidio evaristo gigia beppe peppino dev gaz kev baz deb jo lou jonah noah ethan levi micah
    ezra asher caleb finn rory cillian maisie effie elsie poppy otis arlo theo leo oscar
    ahmed majed hamed rashed waleed khaled javed naveed zayed jared channing blessing patience precious
    benedetto fedele pio severo gaetana adriana floriana emiliana massimiliana juliana ariana cipriana
    damiana fabiana flaviana cipriano fabiano emiliano ottaviano feliciano bastiano valeriano mariano
    cassiano joana sultana jana bojana dragana shana jillian marian killian florian bastian kristian
    maximilian ercan trish manish ashish girish krish harish satish therese gokcan
    """.split()
)
"""Given names from further afield than those of the list that the rest of the project reads names with."""


def is_of_the_users_life(words: list[str]) -> bool:
    """Say whether a name (its words in lower case) is how people speak of somebody they know."""
    return words[0] in TITLES or (is_known_given(words[0]) and not is_of_the_world(words))


def is_of_the_world(words: list[str]) -> bool:
    """Say whether a name is how people speak of somebody they read of: in full, or by one that is famous."""
    surname = any(len(word.rstrip(".")) > 1 for word in words[1:])  # who is "Marco R." is known to the writer
    return words[0] not in TITLES and (surname or words[0] in _FAMOUS)


def is_known_given(word: str) -> bool:
    """Say whether a word in lower case is a given name and no place."""
    return (is_given(word) or word in GIVEN) and not is_place(word)
