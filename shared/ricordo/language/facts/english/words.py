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
    super extremely severely deathly dangerously highly mildly terribly violently seriously again once
    much tbh literally legit lowkey highkey low-key absolute hopelessly slightly fairly rather fully
    utterly terminally
    """
)
OPENERS: Final = _words(
    """
    well so oh hi hello hey ok okay yes yeah yep no nope anyway actually honestly also and but yesterday
    today tonight now currently recently then plus btw by the way as you know for fact me after all in
    of course guess what just to let fyi personally lately finally these days nowadays thanks luckily
    sadly unfortunately fortunately apparently please last this week month year summer winter spring
    autumn weekend morning night years ago good evening afternoon one two three thing about everyone
    there wow haha lol still right since first nice meet another update news true on weekends sundays
    monday tuesday wednesday thursday friday saturday sunday january february march april june july
    august september october november december previously before here sure indeed ah um uh hmm again
    speaking which originally remember hiya heya heyy heyyy heyyyy helloo hellooo mornin quick intro
    heads up ever not going lie ngl tbh imo imho ages long time story short basically fwiw full
    disclosure confession fun disclaimer psa question context background seriously real talk guys folks
    mate dude girl sorry apologies mine forgot mention mentioned earlier confess admit reminder note
    side little bit secret truth told yup nah meh ha hehe phew yikes ooh aww aw man gosh god damn omg
    lmao greetings everybody team friends dear weekdays weekday nights mornings evenings afternoons back
    growing being kid child teenager school college uni work home lunch dinner breakfast holiday
    holidays christmas easter half past couple exactly roughly around technically legally career-wise
    day weeks months hours same edit ps p.s. pps thx ty cheers evenin gday g'day howdy sup yo next
    coming following
    """
)
CONJUNCTIONS: Final = _words(
    """
    and or plus & nor n
    """
)
BREAKERS: Final = _words(
    """
    but because since so while although though whereas therefore hence then however yet cause cuz until
    where when now
    """
)
CONDITIONALS: Final = _words(
    """
    if unless whether suppose supposing provided assuming in_case
    """
)
RELATIVES: Final = _words("who which whose")
QUESTIONS: Final = _words(
    """
    do does did are is am was were can could would will should shall may might have has what where who
    whom when why how which whose any isn don doesn aren wo ca you
    """
)
APPEALS: Final = _words(
    """
    thoughts ideas tips suggestions recommendations advice recipes please pls recommend suggest worth
    safe ok okay
    """
)
ELIDED: Final = _words(
    """
    been living working studying learning born based married engaged allergic used joined got bought
    adopted going moved started quit left visited went came graduated turned love hate adore loving ca do
    can't never lived worked studied retired grew diagnosed spent dating originally travelled traveled
    took volunteering playing owned inherited rescued became met resigned raised intolerant addicted
    obsessed planning training teaching run loved hated had back night big huge fan
    """
)
UNREAL: Final = _words(
    """
    hope hopes hoping imagine suppose pretend hypothetically wish wishes wished if-only supposedly maybe
    perhaps possibly translate fictional roleplay dreamed dreamt dreaming unless joking kidding jk dunno
    idk ifs hopefully allegedly rumour rumor hypothetical imaginary imagined fake fictitious dreams
    """
)
UNREAL_PAIRS: Final = _phrases(
    """
    as if, as though, if only, let's say, let 's, for example, for instance, my dream, a dream, the
    novel, my novel, the movie, the film, the book, the game, a game, the story, my story, my character,
    would be, would love, would have, 'd love, 'd like, would like, what if, pretend to, even if, only
    if, n't know, not sure, n't think, not true, n't mean, doubt that, wonder if, wondering if, act as,
    write a, not that, song says, lyrics go, the series, the show, the sitcom, a novel, a film, a movie,
    the play, the anime, the cartoon, the saga, the manga, the sequel, short story, my book, a story
    """
)
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
NEGATIONS: Final = _words(
    """
    not n't never hardly barely rarely seldom almost nearly neither nor
    """
)
WHOLLY: Final = _words(
    """
    at all after any anymore more really actually honestly sorry please either though btw by the way now
    you know i think again haha lol anyway
    """
)
UNWHOLE: Final = _words(
    """
    only just always usually solely merely entirely exactly did was were had could would should
    wo ca can will might may must almost nearly hardly barely rarely seldom often
    """
)
TIME_WORDS: Final = _words(
    """
    last ago this in on since yesterday today back early late around about few couple of a an the hour
    hours day
    """
)
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
    to spent bred rescued wanted long quit left broken sold lost given gotten got_rid divorced dumped
    """
)
NAME_PARTICLES: Final = _words("of de del della di da la le el van von der den upon the los las al")
PERSON_PARTICLES: Final = NAME_PARTICLES - _words("of upon the")
NOT_NAMES: Final = _words(
    """
    i i'm monday tuesday wednesday thursday friday saturday sunday january february march april may june
    july august september october november december christmas easter god mondays tuesdays wednesdays
    thursdays fridays saturdays sundays ok yes no mr mrs ms dr team mrs. mr. ms. dr. prof covid tv pc
    usb ai gpt chatgpt alexa siri
    """
)
STOPS: Final = _words(
    """
    last next called named because when while since if unless that which who whose where but so although
    though until till before after than whenever as whether every each once twice today yesterday
    tomorrow tonight now lately recently anymore too either again here there then sometimes often always
    usually together alone instead ago except like just and or plus to over rather not even he she they
    i we you 's 'm is are was were am has have had will would can could during please lol haha nowadays
    daily weekly especially currently really for by via despite tbh imo imho ngl btw fwiw online offline
    rn tho lmao xd pls thx hahaha ok okay right meanwhile whereas hence therefore he'll she'll ya mate
    dude bro fyi half without within
    """
)
TAILS: Final = _phrases(
    """
    of all, a lot, so much, very much, as well, more than, a bit, at all, at the, with my, with our, in my, on
    my, the most, these days, last year, last week, last month, next year, next week, next month, next
    summer, next spring, next winter, next autumn, this year, this week, this summer, this month, right
    now, any more, no longer, all the, at least, in general, from time, with a, with the, with her, with
    his, next september, last summer, last spring, last winter, years ago, months ago, weeks ago, days
    ago, year ago, month ago, week ago, ages ago, most nights, most days, most mornings, most evenings,
    most weekends, most of, all his, all her, all my, all their, all our, all day, all night, all year,
    all week, hands down, no matter, for ages, for years, for life, for work, for fun, for free, for
    now, for me, for us, by heart, by ear, way too, way more, way better, a week, a month, a year, a
    day, next door, next monday, next tuesday, next wednesday, next thursday, next friday, next
    saturday, next sunday, next weekend, next january, next february, next march, next april, next may,
    next june, next july, next august, next october, next november, next december, first thing, no less,
    if i, if you, right away, part time, full time, part-time, full-time, for short, for example, back
    in, not to, big time, any day, these past, those days, that much, that way, in case, to death, to
    bits, in spring, in summer, in autumn, in winter, in fall, of course, out of, thank you, no idea, no
    clue, no doubt, at night, at weekends, at home, at work, on weekends, on weekdays, back when, back
    then, back home, back again
    """
)
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
    games way idea fact part best better enough no neither professionally competitively well music role
    tricks being it's one any there bit devil
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
    died yesterday
    """
)
TIME_OPENINGS: Final = _words(
    "in on since until till up from for back during around about between as over the"
)
NOT_MANNER: Final = _words(
    """
    family italy july jelly belly butterfly dragonfly firefly assembly monopoly anomaly supply reply
    ally lily bully holly folly rally tally trolley silly friendly elderly lonely lovely ugly early
    daily weekly monthly curly chilly homily doily gully grizzly barfly sicily philly billy molly sally
    kelly emily polly
    """
)
