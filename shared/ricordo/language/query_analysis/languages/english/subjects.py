"""How English says what it asks about."""

import re

from ricordo.language.query_analysis.languages.patterns import SubjectPatterns, beginning, words

_ON = r"(?:about|on|regarding|concerning|on the subject of|with regard to)"
_ON_OF = rf"(?:{_ON}|of)"
_ALL = r"(?:what|everything|anything|something|all|things|how much)"
_SAY = (
    r"(?:say|said|tell|told|talk|talked|speak|spoken|decide|decided|agree|agreed|explain|explained|mention"
    r"|mentioned|think|know|remember|recall|have)"
)
_NEWS = (
    r"(?:information|info|news|details|updates?|latest|notes|memories|conversations?|chats|messages|rundown"
    r"|recap|summary|overview)"
)

SUBJECTS = SubjectPatterns(
    knows=words(
        # "what do we know about", "what was said regarding", "everything you remember of"
        rf"{_ALL}(?: (?:is it|do|did|can|have|had|that|was|got|has|been|you|u|we|i|ever|already))*"
        rf" {_SAY}(?: (?:me|us|to me|to you|you|so far))* {_ON_OF}",
        # "tell me more about", "fill me in on", "let's talk about"
        r"(?:tell|remind|talk to|show|fill|update)(?: (?:me|us))?"
        rf"(?: (?:in|more|everything|something|all|again))* {_ON_OF}",
        rf"(?:talk|more|got any\w*|all (?:you|we) know) {_ON}",
        rf"(?:find|give me|show me|have|know) (?:any|some|every)thing {_ON}",
        r"(?:(?:any|some|every)thing|write|wrote|written) (?:about|regarding|concerning)",
        rf"up to (?:date|speed) (?:{_ON}|with)|refresh my memory {_ON_OF}",
        # "any news on", "our conversations on", "give me the rundown on"
        rf"{_NEWS}(?: do (?:you|we|i) have)? {_ON}|(?:information|info|news) (?:from|of)",
        rf"what's new (?:with|{_ON})",
        r"(?:review|summari[sz]e|sum up|know|learn|look up|find)"
        rf"(?: (?:more|{_ALL}|what (?:i|we) \w+))? {_ON}",
        rf"my (?:opinion|view|thoughts) {_ON}|(?:ever )?(?:talked|talk|spoken) {_ON}",
    ),
    fronted=beginning(
        rf"(?:(?:and|so|but) )?(?:{_ON}|as for)\s(?P<about>[^,?!.]{{2,60}}?)(?:,\s?|\s(?=what\b))"
        r"(?:what|how much|anything|do|did|have)",
        # "and about the new kitchen?"
        rf"(?:and|so|but) {_ON}\s(?P<alone>[^,?!.]{{2,60}}?)[\W_]*$",
    ),
    discussed=words(
        r"(?:have|had|did) (?:we|i)(?: ever| already)* (?:discuss(?:ed)?|mention(?:ed)?|bring up)"
    ),
    articles=beginning(r"the|a|an|my|your|our|his|her|their|this|that|these|those|some|any"),
    ends=words(r"so far|please|again|lately|recently|already|to you|to me|yet|was about|is about"),
    vague=beginning(
        r"(?:what|everything|anything|something|it|that|this|me|you|us|him|her|them|myself|all|one)[\W_]*$",
        r"(?:what|which|who|where|when|how|why|i|we)\b",
    ),
    archive=words(
        r"(?:in|from|through) the archives?|archived|cold (?:archive|storage)",
        r"old(?:er|est)? memor(?:y|ies)|old(?:er)? conversations?",
        r"(?:a )?(?:very |long )long (?:time )?ago|long (?:time )?ago|ages ago",
    ),
    asked=words(
        # "What did I ask you to bring?" asks for what was told then.
        r"(?:i|we|you|he|she|they)(?:'ve| have|'d| had)? (?:ever |already |just |first |last )?"
        r"ask(?:ed)?(?! (?:you|me|him|her|us|them|\w+) to\b)",
        r"(?:my|your|our|which|what|any|last|first|previous|earlier|these|those) (?:\w+ )?questions?",
    ),
    no_names=frozenset(
        "i i'm i've i'd i'll january february march april may june july august september october november "
        "december monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays "
        "thursdays fridays saturdays sundays christmas easter halloween "
        "thanksgiving god english italian tv pc dvd cd usb gps sms pdf vpn wifi id ok app atm cv".split()
    ),
    origins=re.compile(r"\w{3,}(?:ian|ean|ese|ish|can)$"),
    name_cues=frozenset("about with is does did for from to and was has".split()),
)
