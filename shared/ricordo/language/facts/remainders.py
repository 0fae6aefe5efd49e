"""What may follow something that is stated, without taking a part of it back."""

from collections.abc import Iterator
from itertools import takewhile

from ricordo.language.facts.asserting import PAUSES
from ricordo.language.facts.scene import Scene


def is_whole(scene: Scene, at: int, end: int) -> bool:
    """Tell whether nothing between two tokens leaves a part of it: "at all" does not, "on Mondays" does.

    What is said to be so instead ("but in Milan") leaves none either.
    """
    grammar = scene.grammar
    rest = takewhile(lambda word: word not in grammar.instead, _words(scene, at, end))
    return all(word in grammar.wholly and word not in grammar.unwhole for word in rest)


def is_since(scene: Scene, at: int, end: int) -> bool:
    """Tell whether it says since when it has been so: "I haven't lived in Rome | since 2019"."""
    since = at < end and scene.tokens.low[at] in scene.grammar.since
    return since and only_a_time_follows(scene, at + 1, end)


def only_a_time_follows(scene: Scene, at: int, end: int) -> bool:
    """Tell whether nothing follows but when it was: "last year", "two weeks ago", "nel 2018"."""
    told = scene.grammar.told_of_times
    return all(word in told or word.isdigit() for word in _words(scene, at, end))


def _words(scene: Scene, at: int, end: int) -> Iterator[str]:
    """Yield the words up to a pause: what is behind it is another clause."""
    said = takewhile(lambda word: word not in PAUSES, scene.tokens.low[at:end])
    return (word for word in said if word[0].isalnum())
