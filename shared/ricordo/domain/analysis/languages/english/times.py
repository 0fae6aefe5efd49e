"""How English says whose time it is."""

import re

from ricordo.domain.analysis.languages.patterns import TimePatterns, anywhere, beginning, ending, whole, words

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
        r"(?:am|are) (?:i|we) (?:busy|free)|what's on",
    ),
    behind=words(r"was|were|did|had|went|been|said|told|done|happened"),
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
