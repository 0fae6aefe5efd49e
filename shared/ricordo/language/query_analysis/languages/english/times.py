"""How English says whose time it is."""

import re

from ricordo.language.query_analysis.languages.patterns import (
    TimePatterns,
    anywhere,
    beginning,
    ending,
    whole,
    words,
)

_DAYBOOK = r"schedule|agenda|calendar|diary|to-?do list"
_PLANS = r"plans?|appointments?|meetings?|commitments?|deadlines?|things to do"
_RECAP = r"recap|summary|rundown|overview|review"
_SAID = r"tell|told|say|said|ask|asked|mention|mentioned|promise|promised|write|wrote"
_SPELL = r"day|week|weekend|evening|night|morning"

TIMES = TimePatterns(
    speakers=words(
        r"(?:i|we)(?:'(?:ve|d|m|re|ll))?",
        rf"(?:did|have|had|were) (?:you|u)|(?:you|u) (?:and i|and me|{_SAID})",
    ),
    together=words(rf"we(?:'(?:ve|d|re|ll))?|each other|(?:i|you|u) (?:{_SAID})"),
    # "what did Paul give me", "who wrote to us"
    undergone=beginning(r"(?:(?:to|from|with|for) )?(?:what|which|who|whom|how)\b.{2,60} (?:me|us)"),
    happened=beginning(
        r"(?:what|anything|something)(?:'s| was| has| had| did)? (?:else )?happen(?:ed|s)? with"
    ),
    at_large=whole(
        # "what else happened to me", "what is planned", "the things said"
        r"(?:(?:show me |list )?(?:what|the things|things|anything|something)"
        r"(?:'s| is| was| were| has| had| did)?) (?:else |all )?(?:been )?"
        r"(?:happen(?:ed|ing|s)?|going on|went on|new|planned|coming up|on|discussed|said|done|decided)"
        r"(?: (?:to|with|for) (?:me|us))?",
        # "what is on my schedule", "any appointments", "what's the plan for", "am I busy"
        rf"(?:what(?:'s| is| was) )?(?:on|in) (?:my|our|the) (?:{_DAYBOOK})",
        r"(?:what(?:'s| is| are| were) |do i have |did i have )?(?:any|my|our|the) (?:\w+ )?"
        rf"(?:{_PLANS}|{_DAYBOOK})(?: for)?",
        r"(?:do|did) (?:i|we) have anything (?:on|planned)|(?:am|are|was|were) (?:i|we) (?:busy|free)",
        # "a recap of", "tell me about my day", "what do you remember from"
        rf"(?:(?:give|show|do|write) (?:me|us) )?(?:(?:a|the|my) )?(?:\w+ )?(?:{_RECAP})(?: (?:of|for))?",
        r"(?:tell me about|describe|how was|recap|summari[sz]e|let's (?:go over|recap|review))"
        rf"(?: (?:my|our))?(?: (?:{_SPELL}))?|my (?:{_SPELL})",
        r"(?:what )?do you (?:remember|recall|know)(?: (?:about|of|from))?",
    ),
    ahead=words(
        r"will|shall|going to|gonna|(?:i|we)'ll|(?:am i|are we) (?:\w+ )?\w+ing|planned|supposed to|meant to",
        rf"have to|need to|(?:any|my|our|the|which|what) (?:{_PLANS})|coming up|scheduled|{_DAYBOOK}",
        r"(?:am|are) (?:i|we) (?:busy|free)|what's on|anything on|upcoming|due|(?:what's|what is) next",
        r"(?:do|does) (?:i|we|my|our) (?:\w+ )?have|(?:have|'ve) (?:i|we) got|(?:i|we) have on",
        rf"(?:is|are|'s) (?:my|our|the) (?:\w+ ){{0,3}}(?:{_PLANS})",
        r"(?:is|are|'s|'re) (?:\w+ ){0,3}?(?:happening|coming|arriving|leaving|landing|starting|visiting"
        r"|moving|getting married|playing|opening|due)",
        r"(?:do|does) (?:[\w']+ ){1,4}(?:land|arrive|leave|start|begin|open|depart|get in|come|run out"
        r"|expire)",
    ),
    behind=words(
        r"was|were|did|had|went|been|said|told|done|happened|came|saw|met|took|made|gave|bought",
        r"(?:have|has) (?:i|we|you|he|she|they|it) (?!got\b)\w+(?:ed|en|t|un|one|own)",
    ),
    usual=words(r"usually|normally|always|often|ever|generally|typically|every|each|most"),
    upcoming=words(
        r"coming up|upcoming|(?:my|our|the) next (?:\w+ )?(?:events?|appointments?|meetings?|dates?)",
        r"what's next|what is next",
        rf"what (?:{_PLANS}) (?:do|have) (?:i|we)(?: have| got)?(?: coming up)?",
    ),
    listing=frozenset(
        "coming up happening happen happens planned plan plans on got doing do have having going go get"
        " anything something scheduled schedule agenda calendar diary appointment appointments meeting"
        " meetings commitments deadlines due event events free busy next else booked upcoming thing things"
        " list show tell remind set lined".split()
    ),
    lasting=words(
        r"(?:did|do|was|were|have|had) (?:i|we|you) (?:been )?(?:\w+ )?(?:live|living|work|working|study"
        r"|studying)"
    ),
    # "what were we talking about yesterday" is about no yesterday
    attached_before=ending(
        r"of|(?<!talking )(?<!talk )(?<!chatting )(?<!speaking )about|from|regarding|concerning|our|my"
        r"|your|his|her|their"
    ),
    attached_behind=re.compile(
        r"^'s\b|^\s(?:trip|holiday|vacation|party|meeting|dinner|lunch|call|visit|conference|wedding|lesson"
        r"|class|concert|game|match|show)\b"
    ),
    before_time=ending(r"in|on|at|of|from|during|for|over|by|around|about|back in|the"),
    # "What were we up to yesterday?" reaches no further back than yesterday.
    masked=anywhere(r"(?:(?<=\bi )|(?<=\bwe )|(?<=\byou )|(?<=\bbeen ))up to(?= )"),
)
