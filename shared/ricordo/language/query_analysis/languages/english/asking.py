"""How English questions begin."""

import re

from ricordo.language.query_analysis.languages.patterns import AskingPatterns, beginning, one_of, words

_HELLO = one_of(
    r"hi|hello|hey|hiya|howdy|greetings",
    r"good (?:morning|afternoon|evening|night|day)",
)
_HOW = one_of(
    r"how (?:are you|are things|is it going|'?s it going|have you been|do you do|are we|are you feeling)"
    r"(?: doing)?(?: today| tonight)?",
    r"how's (?:it going|life|everything)|what'?s (?:up|new)",
    r"thanks?(?: you)?(?: so much| a lot| very much)?|bye|goodbye|see you(?: soon| later| tomorrow)?",
    r"nice to meet you|all good|perfect",
)
_ASKED = one_of(
    r"what|wat|wot|wht|whats|what's|who|whom|whose|who's|when|when's|where|where's|why|which|how|hw|how's"
)
_IN_WHAT = rf"(?:(?:in|on|at|with|to|from|for|by|of|about|since|over|during) )?{_ASKED}"
_FETCH = one_of(
    r"tell|remind|recall|remember|list|show|find|search|look up|summari[sz]e|sum up|recap|give|describe",
    r"explain",
)
_TELL = (
    r"(?:(?:can|could|would|will) (?:you|u) (?:please )?|please |pls )?(?:help me (?:to )?)?"
    r"(?:(?:be able to )?tell|talk|repeat|remind|show|explain|recall|remember|find out|list|say|check)"
    r"(?: (?:to )?(?:me|us))?"
)
_KNOW = one_of(
    r"(?:do|did) (?:you|u|i|we) (?:still |ever )?(?:remember|recall|know|mention|say)|do you think",
    r"(?:any|no) idea|let me know|refresh my memory",
    r"i(?:'d| would) (?:like|love) to know|i (?:want|need|wish) to know|i wonder",
    r"i(?:'m| am) (?:wondering|curious)",
    r"i(?:'ve)? (?:forgot(?:ten)?|don'?t (?:remember|recall|know))",
)
_AUXILIARY = one_of(r"did|do|does|have|has|had|was|were|is|are|am|can|could|would|will|should")

ASKING = AskingPatterns(
    greeting=re.compile(
        rf"^\W{{0,5}}{_HELLO}?(?:\W{{1,5}}\w+)?\W{{0,5}}(?:{_HOW}\W{{0,5}}){{1,3}}$"
        rf"|^\W{{0,5}}{_HELLO}(?:\W{{1,5}}(?:there|\w+))?\W{{0,5}}$"
    ),
    opening=re.compile(
        r"^[\W_]{0,10}(?:hi|hey|hello|so|well|ok|okay|and|but|please|listen|now|right|also|then|anyway|oh|um"
        r"|by the way|btw|actually|sorry)(?:[\s,;:!.–-]+|$)"
    ),
    closing=re.compile(r"[\s,]+(?:please|pls|thanks|thank you)[\W_]*$"),
    wrapper=re.compile(
        rf"^[\W_]{{0,10}}(?:{_TELL}|{_KNOW})[\s,:]+(?:again |exactly )?(?:(?:about|of|on) )?"
        rf"(?:(?:if|whether)\s+|(?={_IN_WHAT}\b))"
    ),
    question=beginning(
        _IN_WHAT,
        # without a question mark, "was ill last week" is no question, but "was I ill last week" is one
        rf"{_AUXILIARY}(?:n'?t)? (?:i|we|you|u|he|she|it|they|there|anyone|any|the|my|our|that|this)\b",
        _FETCH,
        r"talk|bring|fill|refresh|review|let's (?:talk|review|recap|go over|see)|walk|teach|say",
        r"i'd (?:like|love) to (?:know|hear|learn)|i (?:want|need) (?:to know|info\w*|the)",
    ),
    sought=beginning(
        r"any|(?:any|some|every)thing|(?:the )?(?:things|stuff|latest)|got any\w*|more|all|everyone"
    ),
    addressed=re.compile(
        r"(?:^|[.!?]\s)\W{0,3}(?:hey|hi|hello|hiya|thanks|thank you|wow|cool|yes|yeah|yep|no|sure|ok|okay"
        r"|well|oh|aw+|congrats|congratulations|definitely|absolutely|sorry|dear|nice|great|awesome|bye"
        r"|good (?:morning|evening|night))[\s,]+$"
    ),
    open_question=beginning(
        _IN_WHAT,
        r"(?:is|was|are|were) there|(?:any|some|every)thing",
        r"do you remember (?:(?:any|some)thing|a time|a moment)",
        r"(?:the )?(?:things|stuff|times?|moments?|experiences?|days?)|my",
        rf"{_FETCH}|talk",
    ),
    advice=words(
        r"(?<!did you )(?<!did i )(?:recommend|suggest)|advi[sc]e",
        r"what (?:should|shall|could|can) (?:i|we)|should (?:i|we)|shall we|(?:can|could) we|wanna",
        r"translate|tell me a joke|write me",
    ),
    scaffolding=beginning(
        r"(?:(?:hi|hey|hello|so|well|ok|okay|please|and)\W+)?"
        + one_of(
            r"(?:(?:can|could|would|will) you (?:please )?)?(?:help me (?:to )?)?"
            r"(?:tell|remind|show|give|find|list|recall|remember|search|look up)(?: me| us)?",
            r"do you (?:still )?(?:remember|recall|know|have)|what can you tell me",
            r"what do (?:you|we) (?:know|remember|recall|have)",
            r"talk(?: to me)?|bring me up to date|fill me in|let's (?:talk|review)|refresh my memory",
            r"i(?:'d| would) (?:like|love) to (?:know|hear)|i (?:want|need) to know",
        )
        + r"(?: (?:everything|anything|something|more|all|if|that|when|what|for|about|on|regarding"
        r"|concerning|of))*"
    ),
)
