"""A command as it stands in the list of commands, and on its own page of help."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from ricordo_services.cli.naming import program


@dataclass(frozen=True, slots=True)
class Entry:
    """One command.

    Attributes:
        name: as it is typed.
        place: `module:attribute` in this package; a function, or a `typer.Typer` with commands of its own.
        summary: a line.
        details: more paragraphs for its own help page.
        examples: lines that can be typed.
        settings: of the command's context, such as which arguments it lets pass.
    """

    name: str
    place: str
    summary: str
    details: str = ""
    examples: tuple[str, ...] = ()
    settings: Mapping[str, object] = field(default_factory=dict)

    @property
    def help(self) -> str:
        """The text of the command's help page."""
        # \b keeps the lines of a paragraph as they are.
        examples = "\n".join(("\b", "Examples:", *(f"  {line}" for line in self.examples)))
        examples = examples.replace("ricordo ", f"{program()} ")
        return "\n\n".join(filter(None, (self.summary, self.details, examples if self.examples else "")))


# What measures knows its options, and tells of them.
EVERYTHING: Final[Mapping[str, object]] = {
    "allow_extra_args": True,
    "ignore_unknown_options": True,
    "help_option_names": [],
}
