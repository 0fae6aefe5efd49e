"""English closed classes."""

from typing import Final


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _phrases(text: str) -> frozenset[str]:
    return frozenset(" ".join(phrase.split()) for phrase in text.split(","))


USER_PRONOUNS: Final = _words("i we")
OTHER_PRONOUNS: Final = _words(
    """
    you it this that these those there everyone everybody someone somebody nobody anyone anybody people
    one what which something anything everything nothing him them me us myself yourself himself herself
    itself each many most others both all her here mine yours u who how when why where whatever whoever
    """
)
POSSESSIVES: Final = _words("my our")
OTHER_POSSESSIVES: Final = _words("your his her its their")
DETERMINERS: Final = _words("a an the some any all")
PREPOSITIONS: Final = _words(
    """
    to in at on of for with from by about into near over under through during above below behind beside
    beneath between across along inside
    """
)
ADVERBS: Final = _words(
    """
    really also still now currently just always absolutely actually both recently usually often totally
    definitely truly genuinely deeply simply already finally even only quite very so too especially
    mostly mainly basically honestly generally normally kinda certainly obviously officially happily
    proudly temporarily permanently presently completely secretly particularly most ever here pretty
    super extremely severely deathly dangerously highly mildly terribly violently seriously again once much
    """
)
OPENERS: Final = _words(
    """
    well so oh hi hello hey ok okay yes yeah yep no nope anyway actually honestly also and but yesterday
    today tonight now currently recently then plus btw by the way as you know for fact me after all in
    fact by of course guess what just to let know fyi personally lately finally these days nowadays
    thanks luckily sadly unfortunately fortunately apparently please last this week month year summer
    winter spring autumn weekend morning night years ago good evening afternoon one two three thing
    about everyone all there wow haha lol still right since first nice meet another update news true on
    weekends sundays monday tuesday wednesday thursday friday saturday sunday january february march
    april june july august september october november december previously before here sure indeed ah um
    uh hmm again speaking which originally remember
    """
)
CONJUNCTIONS: Final = _words("and or plus & nor")
BREAKERS: Final = _words(
    """
    but because since so while although though whereas therefore hence then however yet cause cuz until
    where when now
    """
)
CONDITIONALS: Final = _words("if unless whether suppose supposing provided assuming")
RELATIVES: Final = _words("who which whose")
QUESTIONS: Final = _words(
    """
    do does did are is am was were can could would will should shall may might have has what where who
    whom when why how which whose any isn don doesn aren wo ca you
    """
)
UNREAL: Final = _words(
    """
    hope hopes hoping imagine suppose pretend hypothetically wish wishes wished if-only supposedly maybe
    perhaps possibly translate fictional roleplay dreamed dreamt dreaming unless joking kidding jk
    """
)
UNREAL_PAIRS: Final = _phrases("""
    as if, as though, if only, let's say, let 's, for example, for instance, my dream, a dream, the
    novel, my novel, the movie, the film, the book, the game, a game, the story, my story, my character,
    would be, would love, would have, 'd love, 'd like, would like, what if, pretend to, even if, only
    if, n't know, not sure, n't think, not true, n't mean, doubt that, wonder if, wondering if, act as,
    write a, not that, song says, lyrics go
    """)
JESTING: Final = frozenset(
    {
        "just kidding",
        "just joking",
        "'m kidding",
        "'m joking",
        "was kidding",
        "was joking",
        "only joking",
        "only kidding",
    }
)
SAYING: Final = _words(
    "said says say told tells wrote writes asked replied answered shouted claims claimed posted texted"
)
NEGATIONS: Final = _words("not n't never hardly barely rarely seldom almost nearly neither nor")
OVER: Final = _words("longer anymore more")
COPULAS: Final = _words("'m am is 's are 're be")
WAS: Final = _words("was were")
BEEN: Final = _words("been being")
AUXILIARIES: Final = _words("do does did")
PERFECT: Final = _words("have has 've had")
PARTICIPLES: Final = _words(
    """
    been moved visited worked lived adopted bought started joined got become studied always never just
    recently finally already learned learnt loved liked hated played gone traveled travelled settled
    relocated known met had enjoyed resided decided planned n't not also suffered developed taught taken
    to spent bred rescued wanted long
    """
)
NAME_PARTICLES: Final = _words("of de del della di da la le el van von der den upon the los las al")
PERSON_PARTICLES: Final = NAME_PARTICLES - _words("of upon the")
NOT_NAMES: Final = _words(
    """
    i i'm monday tuesday wednesday thursday friday saturday sunday january february march april may june
    july august september october november december christmas easter god mondays tuesdays wednesdays
    thursdays fridays saturdays sundays ok yes no mr mrs ms dr
    """
)
STOPS: Final = _words(
    """
    last next called named because when while since if unless that which who whose where but so although
    though until till before after than whenever as whether every each once twice today yesterday
    tomorrow tonight now lately recently anymore too either though again here there then sometimes often
    always usually always together alone instead ago except like just and or plus to over rather not
    even he she they i we you 's 'm is are was were am has have had will would can could during please
    lol haha nowadays daily weekly especially currently really is for by via despite
    """
)
TAILS: Final = _phrases("""
    a lot, so much, very much, as well, more than, a bit, at all, at the, with my, with our, in my, on
    my, the most, these days, last year, last week, last month, next year, next week, next month, next
    summer, next spring, next winter, next autumn, this year, this week, this summer, this month, right
    now, any more, no longer, all the, at least, in general, from time, with a, with the, with her, with
    his, next september, last summer, last spring, last winter
    """)
TIME_NOUNS: Final = _words(
    """
    morning mornings evening evenings afternoon afternoons night nights weekend weekends summer winter
    spring autumn fall monday tuesday wednesday thursday friday saturday sunday mondays tuesdays
    wednesdays thursdays fridays saturdays sundays january february march april may june july august
    september october november december holiday holidays vacation moment past 2019 2020 2021 2022 2023
    2024 2025 2026 general particular years months weeks days year month week day my our
    """
)
DEICTIC: Final = _words(
    """
    it this that these those them him her you me us what how your his its their my our mine yours he she
    they i we no
    """
)
VAGUE: Final = _words(
    """
    more few less lots ton tons stuff things everywhere nowhere anywhere somewhere hard abroad online
    games way idea fact part best better enough no neither professionally competitively well
    """
)
GENERIC: Final = _words(
    """
    ocean sea seaside beach mountains mountain rain snow sun outdoors countryside forest woods city
    desert wind cold heat summer winter autumn spring night theatre theater cinema opera circus smell
    sound taste gym colour color environment stars moon internet dark lake river fifties sixties
    seventies eighties nineties 80s 90s 70s 60s arts
    """
)
WHENEVER: Final = _words("when whenever until till")
SIGNS: Final = _words(
    """
    i i'm the my is and are you have was with for this that of to we she he they it at an not do does
    did don n't 'm 's 've what where am her his our your me but from love
    """
)
