"""The commands of `ricordo`, as `commands.toml` lists them, each with its page of help."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from typing import Final

from ricordo_services.cli.failures import program


@dataclass(frozen=True, slots=True)
class CommandEntry:
    """One command.

    Attributes:
        passes_arguments: whether it takes any option: what it hands over to knows them, and has their help.
    """

    name: str
    place: str
    summary: str
    details: str = ""
    examples: tuple[str, ...] = ()
    passes_arguments: bool = False

    @property
    def settings(self) -> Mapping[str, object]:
        """The settings of the command's context."""
        if not self.passes_arguments:
            return {}
        return {"allow_extra_args": True, "ignore_unknown_options": True, "help_option_names": []}

    @property
    def help(self) -> str:
        """The text of the command's help page."""
        # \b keeps the lines of a paragraph as they are.
        examples = "\n".join(("\b", "Examples:", *(f"  {line}" for line in self.examples)))
        examples = examples.replace("ricordo ", f"{program()} ")
        return "\n\n".join(filter(None, (self.summary, self.details, examples if self.examples else "")))


_COMMANDS: Final = tomllib.loads((resources.files(__package__) / "commands.toml").read_text(encoding="utf-8"))
HELP: Final[str] = _COMMANDS["help"]
ENTRIES: Final = tuple(
    CommandEntry(**{**entry, "examples": tuple(entry.get("examples", ()))}) for entry in _COMMANDS["command"]
)
