"""Tables and plots as Markdown: plots are Mermaid, which needs no image and shows in a diff what changed."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

Kind = Literal["bar", "line"]


def shown(value: object) -> str:
    """Return a figure as it stands in a table: thousands apart, a dash for what is not known."""
    match value:
        case None:
            return "–"
        case bool():
            return "yes" if value else "no"
        case int() | float():
            return f"{value:,.10g}"
        case list() | tuple():
            return ", ".join(map(shown, value))
        case _:
            return str(value).replace("|", "\\|")


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a table; each row has as many values as the head."""
    lines = [head, ["---"] * len(head), *([shown(value) for value in row] for row in rows)]
    return "\n".join(
        f"| {' | '.join(line)} |".replace("| --- ", "|---").replace("--- |", "---|") for line in lines
    )


def pairs(rows: Mapping[str, object]) -> str:
    """Return a table of what there is, and how much."""
    return table(["what", "how much"], list(rows.items()))


def chart(
    title: str, across: tuple[str, Sequence[object]], up: tuple[str, Sequence[Sequence[object]]], kind: Kind
) -> str:
    """Return a plot; an empty text where a value is not known.

    Args:
        title: stands above it.
        across: the name of the axis, and its places.
        up: the name of the axis, and for each bar or line a value at each place.
        kind: how values are drawn.
    """
    values = [[float(one) for one in row if isinstance(one, int | float)] for row in up[1]]
    if not values or not values[0] or any(len(row) != len(across[1]) for row in values):
        return ""
    top = math.ceil(1.1 * max(max(row) for row in values))
    places = ", ".join(f'"{shown(place)}"' for place in across[1])
    drawn = (f"    {kind} [{', '.join(f'{value:.10g}' for value in row)}]" for row in values)
    return "\n".join(
        [
            "```mermaid",
            "xychart-beta",
            f'    title "{title}"',
            f'    x-axis "{across[0]}" [{places}]',
            f'    y-axis "{up[0]}" 0 --> {top}',
            *drawn,
            "```",
        ]
    )
