"""How English asks for a way to do something."""

from ricordo.language.query_analysis.languages.patterns import ProcedurePatterns, beginning, one_of, words

_ONE = r"(?:i|we|you|u|one|people|somebody)"
_SORT = r"(?:recipe|instruction|step|procedure|process|guide|tutorial|manual|method)s?"
# What people are, feel or do every day is no way to do anything, nor is how a word is said.
_EVERYDAY = (
    r"(?:feel|like|know|look|think|remember|get (?:along|on|to|there|here|around|so|over|my)|spend|dress"
    r"|take (?:my|our|your)|spell|say|pronounce|sleep|prefer|meet|see|sound|seem|compare|react|cope|commute"
    r"|travel|live|celebrate|afford|have|eat|drink|hear|understand|end up|go|keep|mean|believe|come|be"
    r"|forget|not|stay|manage|find|plan|handle|balance|deal|decide|choose)\b"
)
_DONE = (
    r"(?!related|involved|called|named|interested|married|connected|engaged|excited|worried)"
    r"(?:\w{2,}ed|made|done|given|built|set|put|drawn|sewn|grown|written|kept|cut|found|taken|filled)"
)
_EXPLAIN = r"(?:explain|show|teach|tell|remind)(?: (?:to )?(?:me|us))?(?: again)?"
_SOMEBODY = r"my|your|his|her|our|their|i|we|you|he|she|they|things"

PROCEDURES = ProcedurePatterns(
    explained=beginning(
        rf"(?:(?:can|could|would|will) you |please )?{_EXPLAIN} how "
        rf"(?:to|{_ONE} (?:can |should |could |have to )?(?!{_EVERYDAY})(?!\w+ed\b)\w+ (?:the|a|an|it|this))",
        r"teach (?:me|us)|walk (?:me|us) through",
        rf"{_EXPLAIN} the (?:\w+ )?(?:way|method|trick) (?:to|of|for)",
    ),
    asked=beginning(
        # the thing may stand first: "to make bread, how does one proceed?"
        r"(?:.{1,30}[,:] )?(?:how|hw|in (?:what|which) way) "
        + one_of(
            r"to (?!feel\b)\w+",
            rf"(?:do|can|should|could|would|must|does) {_ONE}(?: (?:have|need) to)? (?!{_EVERYDAY})\w+\b"
            r"(?!.{0,60}\byour\b)",
        ),
        rf"what (?:do|must|should) {_ONE} (?:have to |need to )?do\b.{{0,20}} to \w+",
    ),
    told=beginning(
        # "how is tiramisu made", "how did we say the driver gets installed"
        rf"how (?:(?:did|do) we say )?(?!(?:{_SOMEBODY}|did|does|do|was|were|has|had)\b).{{1,40}}"
        rf" (?:is|are|gets?|be) {_DONE}",
        r"(?:.{1,40}: )?(?:how|in (?:what|which) way) (?:is|are|should|can|must) "
        rf"(?!(?:{_SOMEBODY})\b).{{1,40}} (?:be )?{_DONE}"
        r"(?: (?:in|on|up|out|off))?[\W_]*$",
        # "the right way to", "which steps", "apple pie recipe", "give me the instructions for"
        r"what(?:'s| is| are) the (?:\w+ ){0,2}(?:way|trick) to",
        rf"(?:(?:by|with) )?(?:what|which)(?:'s| is| are| was)?(?: the)? {_SORT}\b(?! (?:did|has)\b)",
        r"(?:(?:give|send|show|read|find|tell|remind)(?: me| us)? |i need |do you have |got )?"
        rf"(?:(?:the|a|an|my|our|your|some|any) )?(?:[\w'-]+ ){{0,3}}{_SORT}"
        r"(?: (?:for|to|of|on)\b.{1,80}|,.{0,30}|[\W_]*$)",
    ),
    habit=words(
        r"usually|normally|generally|typically|tend to|these days|every (?:day|morning|evening|week)",
        rf"how (?:do|can|should|could|would|did) {_ONE} {_EVERYDAY}",
    ),
    in_case=words(
        rf"what (?:do|should|must|can) {_ONE}(?: have to| need to)? do (?:if|when|in case)",
        r"in case of|in an emergency",
        rf"how (?:is|are) .{{1,40}} {_DONE} (?:if|when|in|during)",
    ),
)
