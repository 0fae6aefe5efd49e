"""Builds the text that a bot puts into its prompt, within a token budget.

Everything stands inside `<recalled>` tags with nested tags escaped, so that it reads as data and is
recognised as an echo when it comes back in a message.
"""

from ricordo.memory.context.assembly import assemble
from ricordo.memory.context.material import AssembledContext, Material
from ricordo.memory.context.selection import substitute_syntheses

__all__ = ["AssembledContext", "Material", "assemble", "substitute_syntheses"]
