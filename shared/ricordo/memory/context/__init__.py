"""The text that a bot puts into its prompt: what is at hand and what was recalled, inside a token budget.

All of it stands inside `<recalled>` spans with its own tags escaped, so that it reads as data, and so that it
is known for an echo when it comes back in a message. An empty memory says that it is empty, a broken one that
it is broken, and both whether the archive holds more.
"""

from ricordo.memory.context.assembly import assemble
from ricordo.memory.context.material import AssembledContext, Material
from ricordo.memory.context.selection import substitute_syntheses

__all__ = ["AssembledContext", "Material", "assemble", "substitute_syntheses"]
