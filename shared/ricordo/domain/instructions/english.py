"""How English tells a model what to do, in small letters with straight apostrophes."""

# ruff: noqa: E501 - a pattern broken into short lines is harder to read

from typing import Final

_BEGINS: Final = (
    r"(?:^ *|[.!?:;,\"'()\[\]*#>|-] *|\b(?:please|kindly|and|then|now|just|simply|important"
    r"|you (?:must|should|can|will|have to|need to)) +)"
)
"""Where an imperative stands: what somebody was told, or does, is told of, and told to nobody."""
_RULES: Final = r"(?:instruction|direction|directive|guideline|rule|prompt|command|order)s?\b"
_OF_OTHERS: Final = r"(?! +(?:in|of|on|from|for|about) +(?!system|developer|the +(?:system|developer|user)))"
_MODEL: Final = (
    r"(?:ai|a\.i\.|llm|large language model|language model|ai (?:assistant|agent|model|system)|chatbot"
    r"|artificial intelligence)s?\b"
)
_HENCEFORTH: Final = r"\b(?:from now on|from this (?:point|moment) on(?:wards?)?|starting now|henceforth),? +"
_ANSWER: Final = r"(?:answer|respond|reply|speak|write|obey|recommend|output)"
_BOUNDS: Final = r"(?:restrictions?|rules|filters?|limits|limitations|guidelines|content policy|safeguards)\b"

ENGLISH: Final[tuple[tuple[tuple[str, ...], str], ...]] = (
    (
        ("ignore", "disregard", "forget", "override", "overrule", "neglect"),
        _BEGINS + r"(?:ignore|disregard|forget|override|overrule|neglect) +(?:"
        r"(?:(?:all|any|every|each) +)?(?:of +)?(?:(?:the|these|those|my) +)?(?:other +)?"
        r"(?:your +|(?:previous|prior|earlier|preceding|foregoing|above|existing|initial|original|system|past)(?: and \w+)? +)"
        rf"(?:(?:previous|prior|earlier|own|safety|system|initial|original|given) +){{0,2}}{_RULES}{_OF_OTHERS}"
        rf"|(?:all|any) +(?:the +)?{_RULES}{_OF_OTHERS}"
        r"|(?:everything|anything|all)(?: +that)? +(?:above|before this|you (?:were|have been) (?:told|given|taught|instructed)\b(?! +about))"
        r"|(?:(?:all|everything|the text|the) +)?(?:of +)?(?:the +)?above\b(?= *(?:[.,;:!]|and\b|$))"
        r")",
    ),
    (
        ("your ",),
        _BEGINS
        + r"(?:override|bypass|disable|ignore|turn off|switch off|circumvent) +(?:all +|any +)?(?:of +)?your +"
        r"(?:(?:safety|content|own|ethical|built-in|moral) +)?"
        r"(?:guidelines|filters?|restrictions|rules|safeguards|polic(?:y|ies)|programming|training)\b",
    ),
    (
        ("you are", "you're", "you will act"),
        (
            r"\byou(?: are|'re| will act as) +now +(?:dan\b|in +(?:developer|debug|god|jailbreak|unrestricted) +mode"
            rf"|(?:an? +)?(?:\w+ +)?(?:{_MODEL}|unrestricted|jailbroken|uncensored)|free +(?:from|of) +(?:all|any|your))"
        ),
    ),
    (
        ("no longer",),
        r"\byou(?: are|'re) +no +longer +(?:an? +)?(?:(?:helpful|ai) +)?(?:assistant|bound|restricted|chatbot|ai\b|language model)",
    ),
    (
        ("pretend", "act as", "behave"),
        _BEGINS
        + r"(?:pretend|act|behave)\b[^.!?]{0,30}?\b(?:no|without|unrestricted|uncensored|jailbroken)\b"
        rf"(?: +(?:any|content)\b)?(?: +{_BOUNDS}| +(?:ai|assistant|model)\b)",
    ),
    (
        ("system", "hidden", "secret", "initial", "developer"),
        (
            r"\b(?:reveal|show|print|output|repeat|display|leak|expose|copy|give|tell|send|write)\b[^.!?]{0,40}?\b(?:your|the) +"
            r"(?:(?:full|entire|complete|exact) +)?(?:system +(?:prompt|message|instructions)"
            r"|(?:hidden|secret|initial|developer) +(?:prompt|instructions))\b"
            r"|\byour +(?:system +(?:prompt|instructions)|(?:hidden|secret) +(?:prompt|instructions))\b"
        ),
    ),
    (
        ("user",),
        (
            r"\b(?:do not|don't|never|must not|mustn't) +(?:ever +)?(?:(?:tell|inform|let|alert|notify|warn) +the +users?\b"
            r"|(?:mention|reveal|say|show|disclose)\b[^.!?]{0,40}? to +the +users?\b)"
            r"|\bwithout +(?:telling|informing|alerting|notifying|asking) +the +user\b"
            rf"|{_BEGINS}(?:tell|inform|assure|convince) +the +user +(?:that|to|his|her|their|he|she|they|it)\b"
        ),
    ),
    (
        ("from now on", "from this ", "starting now", "henceforth"),
        _HENCEFORTH + r"(?:you (?:must|will|shall|should|are to) +)?"
        rf"(?:(?:always|only|never|just|exclusively) +{_ANSWER}\b|{_ANSWER} +(?:only|always|exclusively|just)\b"
        rf"|(?:you (?:must|shall|are to)) +{_ANSWER}\b)",
    ),
    (
        ("ai", "llm", "language model", "chatbot", "artificial"),
        (
            rf"\bif +you(?: are|'re) +(?:an? +|the +|any +)?{_MODEL}"
            rf"|\b(?:note|message|instructions?|attention|notice) +(?:to|for) +(?:(?:the|any|all|every) +)?{_MODEL}(?= *(?:[:,.!]|who|that|reading|$))"
            rf"|\b{_MODEL}(?: +(?:that|who|which) +(?:is|are))? +(?:reading|processing|summari[sz]ing) +this\b"
        ),
    ),
)
"""Patterns, each behind words of which one at least must be there for it to be tried."""
