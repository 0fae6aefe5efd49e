"""The commands of `ricordo`, as `commands.toml` lists them, each with its options and its page of help."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import resources
from typing import Any, Final

from ricordo_services.cli.failures import program


@dataclass(frozen=True, slots=True)
class CommandEntry:
    """One command, or a group of commands.

    Attributes:
        place: module and function; empty for a group.
        common: the options of a `Call` that it takes.
        options: how parameters are declared, by their names, where they differ from `SHARED`.
        passes_arguments: whether it takes any option: what it hands over to knows them, and has their help.
    """

    name: str
    place: str = ""
    summary: str = ""
    details: str = ""
    examples: tuple[str, ...] = ()
    common: tuple[str, ...] = ("nats", "tenant", "data_dir", "as_json")
    options: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    passes_arguments: bool = False
    commands: tuple["CommandEntry", ...] = ()

    @classmethod
    def read(cls, table: Mapping[str, Any]) -> "CommandEntry":
        """Read a table of `commands.toml`."""
        lists = {name: tuple(table[name]) for name in ("examples", "common") if name in table}
        return cls(**{**table, **lists, "commands": tuple(map(cls.read, table.get("commands", ())))})

    @property
    def settings(self) -> dict[str, object]:
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
SHARED: Final[Mapping[str, Mapping[str, Any]]] = _COMMANDS["options"]
"""The options of several commands, by parameter."""
PROGRAM: Final = CommandEntry.read(_COMMANDS["program"])
"""`ricordo` itself: the options before a command's name."""
ENTRIES: Final = tuple(map(CommandEntry.read, _COMMANDS["command"]))
