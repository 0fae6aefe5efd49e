"""How people ask in English."""

import re

from ricordo.domain.analysis.languages.patterns import QueryPatterns, beginning, ending, whole, words

_HELLO = r"hi|hello|hey|hiya|good (?:morning|afternoon|evening|night)|greetings"
_HOW = (
    r"how (?:are you|are things|is it going|'?s it going|have you been|do you do|are we)(?: doing)?(?: "
    r"today)?|how['’]s it "
    r"going|what['’]s up|thanks?(?: you)?(?: so much| a lot)?|bye|goodbye|see you(?: soon| later)?|nice "
    r"to meet you|all good"
)
_ABOUT = r"about|on|regarding|concerning|of"

ENGLISH = QueryPatterns(
    greeting=re.compile(
        rf"^\W{{0,5}}(?:{_HELLO})?(?:\W{{1,5}}\w+)?\W{{0,5}}(?:(?:{_HOW})\W{{0,5}}){{1,3}}$|"
        rf"^\W{{0,5}}(?:{_HELLO})(?:\W{{1,5}}(?:there|\w+))?\W{{0,5}}$",
        re.IGNORECASE,
    ),
    question=beginning(
        r"(?:and |but |so |ok |okay |hey |well |please )?(?:what|who|whom|whose|when|where|why|which|how|"
        r"what['’]s|who['’]s|"
        r"did|do|does|have|has|had|was|were|is|are|can|could|would|will|tell|remind|recall|remember|list|"
        r"show|find|search|"
        r"summari[sz]e|give me|describe|in what|on which|at what|with whom|to whom|since when)"
    ),
    procedural=words(
        r"how (?:do|can|should|could|would|must) (?:i|we|you|one|people)(?! (?:feel|like|know|look|think|"
        r"remember))|how to|"
        r"how does one|how is .{1,40} (?:done|made)|what(?:['’]s| is| are) the (?:way|steps?|procedure|"
        r"recipe|instructions) (?:to|"
        r"for|of)|steps? (?:to|for)|instructions (?:to|for|on)|recipe for|procedure (?:for|to)|guide "
        r"(?:to|for)"
    ),
    positive=words(
        r"like[ds]?|love[ds]?|enjoy(?:ed|s)?|happy|happiest|happiness|joy(?:ful)?|glad|proud|grateful|"
        r"excited|exciting|fun|"
        r"favou?rite|delighted|pleased|best|adore[ds]?"
    ),
    negative=words(
        r"(?:did|do|does) (?:you|i|we) not (?:like|love|enjoy)|"
        r"(?:did|do|does|didn['’]t|don['’]t|doesn['’]t) (?:you |i |we )?(?:not )?(?:dislike|hate)|(?:did|"
        r"do|does)(?:n['’]t| not) "
        r"(?:you |i |we )?(?:like|love|enjoy)|(?:you|i|we) (?:did|do)(?:n['’]t| not) (?:like|love|enjoy)|"
        r"dislike[ds]?|hate[ds]?|"
        r"sad|sadness|saddest|angry|anger|upset|disappoint\w+|afraid|scared?|fears?|feared|worr(?:y|ied|"
        r"ies)|anxious|anxiety|"
        r"stress\w*|hurt|cr(?:y|ied)|annoy\w+|frustrat\w+|unhappy|lonely|worst|depress\w+|regret\w*"
    ),
    feeling=words(r"feel|felt|feelings?|emotions?|mood|emotional(?:ly)?"),
    personal=words(r"i|you|we|me|us|my|your|our|i['’]m|i['’]ve|you['’]ve|we['’]ve"),
    happened=words(
        r"do|did|done|doing|happen(?:ed|ing)?|say|said|talk(?:ed|ing)?|tell|told|discuss(?:ed)?|"
        r"decide[d]?|see|saw|seen|meet|met|"
        r"go|went|gone|been|was|were|eat|ate|drink|drank|buy|bought|write|wrote|read|learn(?:ed|t)?|"
        r"work(?:ed|ing)?|ask(?:ed)?|"
        r"answer(?:ed)?|promise[d]?|visit(?:ed)?|play(?:ed)?|watch(?:ed)?|listen(?:ed)?|cook(?:ed)?|make|"
        r"made|start(?:ed)?|"
        r"finish(?:ed)?|find|found|get|got|take|took|put|give|gave|spend|spent|agree[d]?|remember(?:ed)?|"
        r"stud(?:y|ied)|sleep|"
        r"slept|dream(?:ed|t)?|come|came|mention(?:ed)?|share[d]?|plan(?:ned)?"
    ),
    speakers=words(
        r"i|we|i['’]ve|we['’]ve|i['’]d|we['’]d|us|(?:did|have|had|were|are|do) you|you (?:and i|and me|"
        r"told|said)"
    ),
    together=words(
        r"we|we['’]ve|we['’]d|us|(?:i|you) (?:tell|told|say|said|ask|asked|mention|mentioned|promise|"
        r"promised|write|wrote)"
    ),
    at_large=whole(
        r"(?:(?:and|so|ok|well)[\W_]{1,5})?what(?:['’]s| is| was| has| had| did)? (?:else |all )?(?:been )?"
        r"(?:happen(?:ed|ing|s)?|going on|went on)(?: (?:to|with) (?:me|us))?"
    ),
    attached_before=ending(r"of|about|from|regarding|concerning|our|my|your|his|her|their"),
    attached_behind=re.compile(
        r"^['’]s\b|^\s(?:trip|holiday|vacation|party|meeting|dinner|lunch|call|visit|conference|wedding)\b",
        re.IGNORECASE,
    ),
    about=words(r"about|regarding|concerning"),
    knows=words(
        rf"(?:what|everything|anything|all) (?:do |can |that )?(?:you|we) (?:know|remember|recall|tell "
        rf"me|have|say) (?:{_ABOUT})|"
        rf"(?:tell|remind|talk to) (?:me|us)(?: (?:more|everything|something|all))? (?:{_ABOUT})|talk "
        rf"(?:{_ABOUT})|"
        r"who(?:['’]s| is| was| are| were)|(?:any )?(?:information|news|info|details) (?:about|on|from)"
    ),
    scaffolding=beginning(
        rf"(?:(?:hi|hey|hello|so|well|ok|okay|please)\W+)?(?:(?:can|could|would|will) you (?:please "
        rf")?(?:tell|remind|show|give|find|"
        rf"list)(?: me| us)?|do you (?:still )?(?:remember|recall|know)|(?:tell|remind|show|give) (?:me|"
        rf"us)|what do (?:you|we) "
        rf"(?:know|remember|recall|have)|what can you tell me|remember|recall|talk|list|find|search)"
        rf"(?: (?:everything|anything|something|more|all|if|that|when|what|for|{_ABOUT}))*"
    ),
    before_time=ending(r"in|on|at|of|from|during|for|over|by|around|about|back in|the"),
    articles=beginning(r"the|a|an|my|your|our|his|her|their|this|that|these|those|some"),
    archive=words(
        r"(?:in|from|through) the archives?|archived|cold (?:archive|storage)|old(?:er|est)? memor(?:y|"
        r"ies)|old(?:er)? "
        r"conversations?|(?:a )?(?:very |long )long (?:time )?ago|long (?:time )?ago|ages ago"
    ),
    no_names=frozenset(
        "i i'm i've i'd i'll january february march april may june july august september october "
        "november december monday "
        "tuesday wednesday thursday friday saturday sunday christmas easter halloween thanksgiving "
        "god english italian".split()
    ),
)
