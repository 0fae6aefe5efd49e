"""The closed vocabularies of the contract; others are those of any text, in `language/annotations.py`."""

from enum import StrEnum


class MessageState(StrEnum):
    """How far a message got."""

    UNKNOWN = "unknown"
    RECEIVED = "received"
    REMEMBERED = "remembered"
    FAILED = "failed"


class Intent(StrEnum):
    """What a query is after."""

    TEMPORAL = "temporal"
    ENTITY = "entity"
    EMOTIONAL = "emotional"
    TOPIC = "topic"
    PROCEDURAL = "procedural"
    GENERAL = "general"


class TimeType(StrEnum):
    """How a query speaks of time."""

    EXACT = "exact"
    RANGE = "range"
    RELATIVE = "relative"
    NONE = "none"


class EmotionFilter(StrEnum):
    """Positive: valence > 0.5; negative: < -0.5; neutral: between."""

    POSITIVE = "positive"
    NEGATIVE = "negative"
    NEUTRAL = "neutral"


class Analyser(StrEnum):
    """What analysed the query."""

    RULES = "rules"
    LLM = "llm"


class Profile(StrEnum):
    """How candidates are ranked."""

    HUMAN = "human"
    WEIGHTED = "weighted"
    MULTIPLICATIVE = "multiplicative"
    GENERATIVE = "generative"
    BUDGET = "budget"


class Degradation(StrEnum):
    """What could not be asked just now."""

    ROWS = "rows"
    VECTORS = "vectors"
    GRAPH = "graph"
    MODEL = "model"
    ANALYSER = "analyser"


class ArchiveReason(StrEnum):
    """Why a memory left the hot index."""

    DECAY = "decay"
    EXPIRY = "expiry"
    RETENTION = "retention"


class ForgetScope(StrEnum):
    """How much a `forget` erased."""

    MESSAGE = "message"
    MEMORY = "memory"
    """One that no message is behind; one of a message goes with its message."""
    CONVERSATION = "conversation"
    USER = "user"


class PeriodLength(StrEnum):
    """How long the periods are by which memories are counted; a week begins on Monday."""

    DAY = "day"
    WEEK = "week"
    MONTH = "month"
    YEAR = "year"


class ListingOrder(StrEnum):
    """The order of a listing of memories."""

    RECENT = "recent"
    OLDEST = "oldest"
    IMPORTANT = "important"
    USED = "used"
    FEELING = "feeling"
    """Brightest first."""


class ChangeKind(StrEnum):
    """What changed a memory."""

    USED = "used"
    DECAYED = "decayed"
    CORRECTED = "corrected"
    COMPRESSED = "compressed"
    ARCHIVED = "archived"


class EntityKind(StrEnum):
    """What an entity is."""

    PERSON = "person"
    ANIMAL = "animal"
    PLACE = "place"
    ORGANISATION = "organisation"
    THING = "thing"


class AnswerStyle(StrEnum):
    """How much an answer says: the fact or passage alone, or all that supports it."""

    SHORT = "short"
    FULL = "full"


class AnsweredBy(StrEnum):
    """What wrote an answer."""

    RULES = "rules"
    LLM = "llm"


class TimeOfDay(StrEnum):
    """Morning is 6 to 12 o'clock, afternoon to 18, evening to 23, night to 6."""

    MORNING = "morning"
    AFTERNOON = "afternoon"
    EVENING = "evening"
    NIGHT = "night"


class DayOfWeek(StrEnum):
    """A day of the week, in English."""

    MONDAY = "monday"
    TUESDAY = "tuesday"
    WEDNESDAY = "wednesday"
    THURSDAY = "thursday"
    FRIDAY = "friday"
    SATURDAY = "saturday"
    SUNDAY = "sunday"
