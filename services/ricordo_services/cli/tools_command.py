"""`ricordo tools`: prints the definitions of the tools for agents."""

import json
from typing import Literal

from ricordo_services.cli.output import print_line


def tools(*, format: Literal["openai", "anthropic", "json"] = "openai") -> None:  # noqa: A002 - the name of the option
    """Print the definitions of the tools for agents."""
    from ricordo.integrations.tool_table import DefinitionFormat, tool_definitions  # noqa: PLC0415 - slow to load

    definitions = tool_definitions(DefinitionFormat(format))
    print_line(json.dumps(definitions, ensure_ascii=False, indent=2))
