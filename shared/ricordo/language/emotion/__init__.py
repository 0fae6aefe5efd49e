"""How a text feels, as valence, arousal and dominance, with a name and the words that carry it.

`words` reads words of feeling in their context, `heads` what was learned from texts that people rated, and
`blending` makes one estimate of both.
"""

from ricordo.language.emotion.estimation import estimate

__all__ = ["estimate"]
