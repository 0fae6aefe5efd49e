"""What lives have shown, in figures and in examples."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Final

from ricordo_services.evaluation.lives.asking import WHO, Answer, Findings, Heard
from ricordo_services.evaluation.lives.living import LANGUAGES, LEAST_SAID

_ALL: Final = "all"


def figures(found: Sequence[Findings]) -> dict[str, float]:
    """Return the totals over all lives."""
    answers, heard = _answers(found), _heard(found)
    noise = [one.read for one in heard if one.turn.truth is None]
    true, false = (
        [one.read for one in heard if one.turn.truth is not None and one.turn.true is so]
        for so in (True, False)
    )
    reinforced = [one.right for one in answers if one.read >= LEAST_SAID]
    return {
        "lives": len(found),
        "messages": len(heard),
        "questions": len(answers),
        "right_first": right_first(found),
        "reinforced": len(reinforced),
        "reinforced_right_first": _share(reinforced),
        "true_read": _share(true),
        "false_read": _share(false),
        "noise_read": _share(noise),
    }


def right_first(found: Sequence[Findings]) -> float:
    """Return of how many questions the right answer came first, as a share."""
    return _share([one.right for one in _answers(found)])


def table(found: Sequence[Findings]) -> Iterator[dict[str, object]]:
    """Yield a row for each kind of question and language, and for both languages together."""
    answers = _answers(found)
    for about in dict.fromkeys([_ALL, *(one.about for one in answers)]):
        for language in (*LANGUAGES, _ALL):
            of_it = [
                one for one in answers if about in (_ALL, one.about) and language in (_ALL, one.language)
            ]
            if of_it:
                yield {"about": about, "language": language, **_row(of_it)}


def misses(found: Sequence[Findings]) -> Iterator[dict[str, object]]:
    """Yield the questions whose right answer did not come first, with what came."""
    for one in _answers(found):
        if not one.right:
            yield {
                "life": one.life,
                "language": one.language,
                "question": one.question,
                "expected": one.expected,
                "found": list(one.found[:3]),
                "said": one.said,
                "read": one.read,
                "false_read": one.false_read,
                "false_last": one.false_last,
            }


def unread(found: Sequence[Findings]) -> Iterator[dict[str, object]]:
    """Yield the wordings that were not always read, those read least first."""
    heard: defaultdict[tuple[str, str, str], list[bool]] = defaultdict(list)
    for one in _heard(found):
        if one.turn.truth is not None and one.turn.true:
            heard[one.language, one.turn.truth.predicate, one.turn.wording].append(one.read)
    for (language, predicate, wording), read in sorted(heard.items(), key=lambda one: (_share(one[1]), one)):
        if not all(read):
            yield {
                "language": language,
                "predicate": predicate,
                "wording": wording,
                "said": len(read),
                "read": sum(read),
            }


def _row(answers: Sequence[Answer]) -> dict[str, float]:
    reinforced = [one.right for one in answers if one.read >= LEAST_SAID]
    told = [one for one in answers if one.about != WHO] or answers  # who is asks for what others ask for, too
    return {
        "questions": len(answers),
        "right_first": _share([one.right for one in answers]),
        "read": round(sum(one.read for one in told) / sum(one.said for one in told), 4),
        "reinforced": len(reinforced),
        "reinforced_right_first": _share(reinforced),
    }


def _answers(found: Sequence[Findings]) -> list[Answer]:
    return [one for of_life in found for one in of_life.answers]


def _heard(found: Sequence[Findings]) -> list[Heard]:
    return [one for of_life in found for one in of_life.heard]


def _share(came_true: Sequence[bool]) -> float:
    return round(sum(came_true) / len(came_true), 4) if came_true else 0.0
