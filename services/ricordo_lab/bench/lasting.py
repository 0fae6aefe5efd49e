"""The section of what a system holds over a long time."""

from collections.abc import Sequence
from typing import Final

from ricordo_lab.bench.lines import Section, fields_of
from ricordo_lab.bench.markdown import shown, table
from ricordo_lab.bench.options import Line


def _section(lines: Sequence[Line]) -> Sequence[str]:
    result = lines[-1]
    held = {name: fields_of(value) for name, value in result.items() if "by_tenth" in fields_of(value)}
    told = (
        f"In {shown(result['seconds'])} s {shown(result['remembered'])} messages were remembered and "
        f"{shown(result['forgotten_users'])} users forgotten, {shown(result['users_at_a_time'])} at a time; "
        f"{shown(result['failed'])} messages were not remembered, "
        f"{shown(result['left_after_forgetting'])} left."
    )
    return [
        told,
        table(
            ["held", "in each tenth of the time", "the last above the third, %"],
            [[name.replace("_", " "), one["by_tenth"], one["growth_percent"]] for name, one in held.items()],
        ),
    ]


SOAK: Final[Section] = _section
"""Of `soak`."""
