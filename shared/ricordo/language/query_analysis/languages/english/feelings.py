"""How English asks for what was felt."""

from ricordo.language.query_analysis.languages.patterns import FeelingPatterns, anywhere, words

_I = r"(?:i|we|you)(?:'(?:ve|m|re))?"
_ME = r"(?:me|us|(?<!do )(?<!did )(?<!are )(?<!were )(?<!have )(?<!had )you)"
_P = r"[⊕⊖]"
_WHAT = r"^(?:(?:in|on|for|at|of) )?(?:what|whats|wat|which|who|whom)\b"
_MOMENTS = r"(?:memor(?:y|ies)|moments?|days?|times?|experiences?|news|surprises?|part|period)"
# Behind a word of feeling that is said of somebody; before a noun it only describes that.
_SAID = (
    r"(?= (?:most|best|more|the most|about|of|in|at|on|with|by|for|to|from|lately|recently|so|during|that"
    r"|when|because|after|and|or|this|last|today|these|yesterday)\b|[\W_]*$)"
)
_FEW = r"(?: \w+(?:'\w+)?){0,4}?"

FEELINGS = FeelingPatterns(
    words=dict.fromkeys(
        "satisfied satisfying satisfaction pleased pleasant pleasure enjoyable confident hopeful best "
        "good glad appreciate appreciated enjoy like liked enjoyed moved touched smiling spirits proudest "
        "funniest".split(),
        "⊕",
    )
    | dict.fromkeys(
        "loathe loathed detest detested complain complained complaining shame nerves jealous temper "
        "dislike disliked saddest scariest hardest toughest shocked shocking".split(),
        "⊖",
    ),
    no_words=frozenset(
        "just well right kind care wish want hope please alone new work interest sorry agree agreed "
        "concerning concern problem problems play played playing graduate graduated holiday holidays "
        "vacation late lately trouble party gift present miss recommend recommended inspire inspired "
        "inspires inspiring".split()
    ),
    denied=anywhere(r"(\b(?:not|never|\w+n'?t)\b(?: (?:i|we|you|me|us|really|so|very|much|all|that))*\s?)⊕"),
    asked=anywhere(
        # "what made me angry", "what gets on my nerves", "what worries me"
        rf"{_WHAT}.{{0,40}}? (?:{_ME}\b.{{0,30}}?|my ){_P}",
        rf"{_WHAT}.{{0,40}}{_P} (?:to )?{_ME}\b",
        # "what did I like", "what am I afraid of"; but "what music do I like" asks for a taste
        rf"^(?:(?:in|on|for|at|of) )?(?:what|whats|wat|who|whom|which {_MOMENTS})(?:'s)?"
        r"(?: (?:(?:did|do|have|had|was|were|are)(?:n't)?|am|been|else|all))*(?: \w+)??"
        rf" {_I}\b{_FEW} {_P}{_SAID}",
        # "when was I sad", "why I was so upset", "when did I last cry"
        r"^(?:when|why|how come)\b.{0,20}?"
        rf"(?:(?:was|were|am|are) {_I}|felt|feel|so|last|{_I} (?:was|were|am|are))(?: \w+)?? {_P}{_SAID}",
        # "a time when I was happy", "the things that make me sad", "something that cheered me up"
        rf"(?:\b{_MOMENTS}|things?|stuff|thing)(?: (?:when|where|that|which))?"
        rf" (?:{_I}(?: \w+){{0,3}} {_P}|(?:\w+ ){{0,3}}{_ME} (?:\w+ ){{0,3}}{_P}|{_P} {_ME}\b)",
        # "the best moment", "which good news did I get", "my happiest memories", "my biggest disappointment"
        rf"{_P} (?:\w+ )?{_MOMENTS}\b|\bmost {_P} {_I}\b|^(?:which|what) {_P} (?:do|did|have) {_I}\b",
        rf"^(?:(?:what|which|who)\b.{{0,25}} )?my (?:\w+ )?{_P}s?[\W_]*$",
    ),
    as_such=words(
        r"(?:how|what) (?:did|do|was|were|am|have|are|had) (?:i|we|you) (?:\w+ )?(?:feel|felt|feeling)",
        r"(?:which|what|my|our|your) (?:feelings?|emotions?|mood|state of mind|emotional state)",
        r"emotionally",
    ),
    personal=words(r"moments?|memor(?:y|ies)|i|you|we|me|us|my|your|our|i'm|i've|you've|we've"),
    others=words(
        r"he|she|they|him|her|them|his|their",
        r"(?:my|your|our) (?:\w+ )?(?:sister|brother|mother|father|mum|mom|dad|son|daughter|wife|husband"
        r"|partner|boyfriend|girlfriend|friends?|boss|colleagues?|kids|children|parents|family|neighbou?rs?"
        r"|cat|dog|team)",
    ),
    favourite=words(
        r"(?:do|don't) (?:i|we|you) like (?:to \w+|\w+ing)",
        r"favou?rites?|how (?:do|did) (?:i|we|you) like|(?:am|was|are|were) (?:i|we|you) like|would like",
    ),
    liked=words(
        r"(?:did|have|had) (?:i|we|you) (?:\w+ ){0,2}?(?:liked?|enjoy(?:ed)?|loved?|appreciated?)",
        r"(?:i|we|you) (?:\w+ )?(?:liked|enjoyed|loved|appreciated)",
    ),
)
