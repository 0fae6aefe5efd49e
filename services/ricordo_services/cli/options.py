"""Options of several commands: types of parameters, and groups of options as dataclasses."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any, Final, NamedTuple

import typer

Texts = list[str] | None


def option(metavar: str | None, text: str, *flags: str, **settings: Any) -> Any:  # noqa: ANN401 - as Typer types it
    """Declare an option with a value; without flags, its flag is the parameter's name."""
    return typer.Option(*flags, metavar=metavar, help=text, **settings)


def repeated(metavar: str, text: str, *flags: str) -> Any:  # noqa: ANN401 - as Typer types it
    """Declare an option that may be repeated."""
    return option(metavar, f"{text}; may be repeated.", *flags)


def flag(name: str, text: str) -> Any:  # noqa: ANN401 - as Typer types it
    """Declare an option without a value."""
    return typer.Option(*name.split(), help=text)


def argument(metavar: str, text: str) -> Any:  # noqa: ANN401 - as Typer types it
    """Declare an argument."""
    return typer.Argument(metavar=metavar, help=text)


class Offered(NamedTuple):
    """Which fields of a group are options of a command, and where their help says something else."""

    names: tuple[str, ...]  # empty for all of them
    texts: Mapping[str, str]


EVERY_OPTION: Final = Offered((), {})


def offered(*names: str, **texts: str) -> Offered:
    """Note in an `Annotated` group that these fields are offered, those with a text with another help."""
    return Offered((*names, *texts), texts)


def reworded(**texts: str) -> Offered:
    """Note in an `Annotated` group that all fields are offered, some with another help."""
    return Offered((), texts)


def given(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options that were given: a flag that was not is false, any other None."""
    return {name: value for name, value in options.items() if value is not None and value is not False}


@dataclass(frozen=True, slots=True)
class ServerOptions:
    """What selects servers and output; each may stand before a command's name, too."""

    nats: Annotated[str | None, option("URL", "NATS. Default: RICORDO_NATS_URL, then the stack.")] = None
    tenant: Annotated[str | None, option("NAME", 'Tenant. Default: "default".')] = None
    data_dir: Annotated[
        Path | None, option("DIR", "Data folder of the local stack. Default: that of your account.")
    ] = None
    as_json: Annotated[bool, flag("--json", "Print the reply as it came over the wire, as one line.")] = False


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionOptions:
    """How a question is asked, by the names of the wire."""

    limit: Annotated[int, option("N", "Maximum number of memories, 1 to 200.")] = 10
    profile: Annotated[
        str | None, option("NAME", "Ranking profile: weighted, multiplicative, generative, budget or human.")
    ] = None
    language: Annotated[str | None, option("CODE", "it or en.")] = None
    now: Annotated[str | None, option("INSTANT", "When it is asked, with an offset. Default: now.")] = None
    timezone: Annotated[str | None, option("ZONE", "Such as Europe/Rome.")] = None
    conversation_id: Annotated[
        str | None, option("ID", "Where it is asked. It does not filter: --within does.", "--conversation")
    ] = None
    reinforce: Annotated[bool, flag("--reinforce/--no-reinforce", "Strengthen what it returns.")] = True


@dataclass(frozen=True, slots=True, kw_only=True)
class FilterOptions:
    """Filters of memories, by the names of the wire."""

    start: Annotated[str | None, option("INSTANT", "Start of the range (included).")] = None
    end: Annotated[str | None, option("INSTANT", "End of the range (excluded).")] = None
    participants: Annotated[Texts, repeated("NAME", "Person in the memory", "--participant")] = None
    topics: Annotated[Texts, repeated("WORD", "Topic of the memory", "--topic")] = None
    tags: Annotated[Texts, repeated("WORD", "Tag of the memory", "--tag")] = None
    locations: Annotated[Texts, repeated("PLACE", "Location of the memory", "--location")] = None
    refs: Annotated[Texts, repeated("TYPE:ID", "Entity of the bot that the memory is about", "--ref")] = None
    within: Annotated[str | None, option("ID", "Only memories of this conversation.")] = None
    time_of_day: Annotated[Texts, repeated("PART", "morning, afternoon, evening or night")] = None
    day_of_week: Annotated[Texts, repeated("DAY", "monday to sunday")] = None
    types: Annotated[Texts, option("TYPE", "episodic, semantic, procedural, emotional.", "--type")] = None
    kinds: Annotated[Texts, option("KIND", "message, note, agreement, decision, ...", "--kind")] = None
    emotion: Annotated[str | None, option("SIGN", "positive, negative or neutral.")] = None
    min_importance: Annotated[float | None, option("0..1", "Minimum importance.")] = None
    include_archived: Annotated[bool, flag("--archived", "Include the archive.")] = False
    include_uninformative: Annotated[bool, flag("--uninformative", "Include questions and thanks.")] = False

    @property
    def chosen(self) -> dict[str, object] | None:
        """The filters that were given; None where there are none."""
        filters = given(asdict(self))
        if self.within is not None:  # `conversation_id` is that of the question among the options
            filters["conversation_id"] = filters.pop("within")
        return filters or None


@dataclass(frozen=True, slots=True, kw_only=True)
class PageOptions:
    """Which pages of a listing are shown."""

    limit: Annotated[int, option("N", "Maximum number of a page, 1 to 200.")] = 50
    cursor: Annotated[str | None, option("CURSOR", "The `next` of a reply to the same request.")] = None
    to_the_end: Annotated[bool, flag("--all", "Show all pages.")] = False


User = Annotated[str, option("ID", "Id of the user.", "--user", "-u")]
OnlyUser = Annotated[str | None, option("ID", "This user only.", "--user", "-u")]
Query = Annotated[str, argument("QUERY", "A question or search text.")]
MemoryId = Annotated[str, argument("MEMORY", "Its id; `ricordo recall --ids` shows it.")]
Conversation = Annotated[str, option("ID", "Id of the conversation.", "--conversation", "-c")]
Ids = Annotated[bool, flag("--ids", "Show ids, which other commands take.")]
Limit = Annotated[int, option("N", "Maximum number, 1 to 1,000.")]
Timezone = Annotated[str | None, option("ZONE", "Show times in this zone. Default: this machine's.")]
RequestId = Annotated[str | None, option("ID", "Idempotency key: a repeat with it changes nothing.")]
Patience = Annotated[float, option("SECONDS", "With --wait: give up after this without progress.", min=0.1)]
