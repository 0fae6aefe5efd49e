"""`ricordo eval`: which evaluations there are, what they may be asked, and how they say what they found."""

import argparse
import asyncio
import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ricordo.language.embedding import MINILM
from ricordo.settings import EmbeddingSettings, Settings
from ricordo_lab.console import exit_code, print_line
from ricordo_lab.evaluation import (
    daily,
    emotion,
    fit,
    fitting_emotion,
    fitting_heads,
    fitting_questions,
    locomo,
    questions,
    rated,
    report,
    retrieval,
    statements,
    temporal,
)
from ricordo_lab.evaluation.insights import command as insights
from ricordo_services.app.embedding_models import model_names, open_models


class Evaluation(NamedTuple):
    """One that can be asked for.

    Attributes:
        summary: what it measures, and on what.
        run: yields the lines that it says.
        options: adds what it may be asked to its parser.
        on_file: whether it needs a data set.
    """

    summary: str
    run: Callable[[argparse.Namespace], Iterator[str]]
    options: Callable[[argparse.ArgumentParser], None] = lambda _: None
    on_file: bool = True


def main(arguments: Sequence[str]) -> int:
    """Run the evaluation that `arguments` name, and print what it finds.

    Args:
        arguments: those behind `ricordo eval`.

    Returns:
        The exit code: 0 done, 1 failed, 2 usage.
    """
    return exit_code(lambda: _evaluate(arguments))


def _evaluate(arguments: Sequence[str]) -> None:
    asked = _parser().parse_args(arguments)
    for line in EVALUATIONS[asked.name].run(asked):
        print_line(line)


def _retrieval(asked: argparse.Namespace) -> Iterator[str]:
    rows = asyncio.run(retrieval.retrieval(locomo.read(asked.data), _progress))
    yield from _shown(rows, asked)


def _fit(asked: argparse.Namespace) -> Iterator[str]:
    conversations = locomo.read(asked.data)
    found = asyncio.run(fit.fit_on(conversations, _progress))
    asked_in_all = sum(len(one.questions) for one in conversations)
    source = f"{asked.data.name}: {len(conversations)} conversations, {asked_in_all} questions"
    written = found.toml(model_names(Settings().embedding)[0], source)
    yield from _shown(found.rows, asked)
    if asked.out is not None:
        asked.out.write_text(written, encoding="utf-8")
        _progress(f"wrote {asked.out}")
    elif asked.json:
        whole, worded = ({"weights": one.learned, "bias": one.bias} for one in (found.whole, found.by_words))
        yield json.dumps({**whole, "by_words": worded})
    else:
        yield from ("", *written.splitlines())


def _shown(rows: Sequence[report.Row], asked: argparse.Namespace) -> Iterator[str]:
    if asked.json:
        yield from (json.dumps(row.line()) for row in rows)
    else:
        yield from (report.markdown if asked.markdown else report.text)(rows)


def _temporal(asked: argparse.Namespace) -> Iterator[str]:
    left_out = () if asked.every_file else temporal.OTHER_CONVENTIONS
    score = temporal.score_temporal(asked.data, asked.language, leave_out=left_out)
    figures = {
        "dates": score.dates.cases,
        "dates_exact": round(score.dates.share, 4),
        "ranges": score.ranges.cases,
        "ranges_exact": round(score.ranges.share, 4),
        "timeless": score.timeless,
        "timeless_with_a_time": len(score.false_positives),
    }
    yield from _figures(figures, asked)
    for miss in (*score.misses, *score.false_positives) if asked.misses else ():
        told = {"text": miss.text, "now": miss.now, "expected": miss.expected, "read": miss.found}
        yield _miss(told, asked)


def _questions(asked: argparse.Namespace) -> Iterator[str]:
    understand = questions.understanding(questions.DECIDERS[asked.by])
    score = questions.score_questions(questions.read_questions(asked.data), understand)
    names = ("questions", "intent", "entities", "emotion", "time", "lost", "languages")
    yield from _figures({name: round(getattr(score, name), 4) for name in names}, asked)
    for name, (precision, recall) in score.by_intent.items():
        yield from _figures(
            {f"{name}_precision": round(precision, 4), f"{name}_recall": round(recall, 4)}, asked
        )
    for miss in score.misses if asked.misses else ():
        yield _miss({"query": miss.question.query, "what": miss.what, "read": miss.found}, asked)


def _fit_questions(asked: argparse.Namespace) -> Iterator[str]:
    asked.out.write_bytes(fitting_questions.fit_file(asked.data).saved())
    yield json.dumps({"out": str(asked.out)}) if asked.json else f"wrote {asked.out}"


def _fit_heads(asked: argparse.Namespace) -> Iterator[str]:
    texts = fitting_heads.read(asked.data)
    vectors = asyncio.run(_vectors([one.text for one in texts]))
    asked.out.mkdir(parents=True, exist_ok=True)
    for language, head, figures in fitting_heads.fit_each(texts, vectors, MINILM, asked.data, _progress):
        yield from _figures({f"{language}_{name}": value for name, value in figures.items()}, asked)
        out = asked.out / f"{asked.data.stem}_{language}.npz"
        out.write_bytes(head.saved())
        yield json.dumps({"out": str(out)}) if asked.json else f"wrote {out}"


def _emotion(asked: argparse.Namespace) -> Iterator[str]:
    ratings = rated.read(asked.data)
    emotion.check(ratings, asked.language)
    vectors = asyncio.run(_vectors(ratings.texts))
    found = emotion.estimates(ratings, asked.language, vectors)
    told = emotion.figures(ratings, found)
    yield from _figures({name: _rounded(value) for name, value in told.items()}, asked)
    if unknown := [name for name, value in told.items() if value is None]:
        _progress(f"r of {' and '.join(unknown)} is not defined: all ratings or all estimates are alike")
    if not ratings.on_axes:
        return
    bins = emotion.calibration(ratings, found)
    if asked.markdown:
        yield from emotion.plotted(bins)
    else:
        for one in bins:
            yield from _figures({"estimated": round(one.estimated, 3), "rated": round(one.rated, 3)}, asked)


def _fit_emotion(asked: argparse.Namespace) -> Iterator[str]:
    read = {}  # all of it now, and not after a quarter of an hour
    for path, option, on_axes in (
        (asked.data, "--data", True),
        (asked.goemotions, "--goemotions", False),
        (asked.emoita, "--emoita", True),
    ):
        read[option] = rated.read(path)
        fitting_emotion.check(read[option], option, on_axes=on_axes)
    asked.out.mkdir(parents=True, exist_ok=True)
    for language, options in (("en", ("--data", "--goemotions")), ("it", ("--emoita",))):
        sets = [asyncio.run(_rated(read[option], language)) for option in options]
        heads = fitting_emotion.fit_heads(sets, model_names(EmbeddingSettings())[0])
        out = asked.out / f"heads_{language}.npz"
        out.write_bytes(heads.saved())
        yield json.dumps({"out": str(out)}) if asked.json else f"wrote {out}"


async def _rated(ratings: rated.Ratings, language: str) -> fitting_emotion.Rated:
    vectors = await _vectors(ratings.texts)
    return fitting_emotion.Rated(language, ratings.texts, vectors, ratings.rated, ratings.name)


async def _vectors(texts: Sequence[str]) -> NDArray[np.float32]:
    async with open_models(EmbeddingSettings()) as models:  # the heads read the vectors of MiniLM only
        return await emotion.encoded(models.batch, texts, _progress)


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)


def _figures(found: Mapping[str, float | None], asked: argparse.Namespace) -> Iterator[str]:
    if asked.json:
        yield json.dumps(found)
    else:
        yield from (f"{name:24} {'undefined' if value is None else value}" for name, value in found.items())


def _miss(told: dict[str, object], asked: argparse.Namespace) -> str:
    if asked.json:
        return json.dumps(told, default=str)
    return "  " + ", ".join(f"{name} {value}" for name, value in told.items())


def _of_tables(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--markdown", action="store_true", help="print tables and plots for a page")


def _of_fit(parser: argparse.ArgumentParser) -> None:
    _of_tables(parser)
    parser.add_argument("--out", type=Path, metavar="FILE", help="where to write the weights")


def _of_temporal(parser: argparse.ArgumentParser) -> None:
    _of_misses(parser)
    parser.add_argument("--language", choices=["en", "it"], required=True, help="of the texts")
    parser.add_argument("--every-file", action="store_true", help="also those of other conventions")


def _of_questions(parser: argparse.ArgumentParser) -> None:
    _of_misses(parser)
    parser.add_argument(
        "--by", choices=[*questions.DECIDERS], default="both", help="who chooses the intent (both)"
    )


def _of_fit_questions(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--out", type=Path, metavar="FILE", required=True, help="where to write the head")


def _of_fit_heads(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--out", type=Path, metavar="FOLDER", required=True, help="where to write the heads")


def _of_emotion(parser: argparse.ArgumentParser) -> None:
    _of_tables(parser)
    parser.add_argument("--language", choices=["en", "it"], default="en", help="of the texts (en)")


def _of_fit_emotion(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--goemotions", type=Path, metavar="FILE", required=True, help="English texts, labelled"
    )
    parser.add_argument("--emoita", type=Path, metavar="FILE", required=True, help="Italian texts, rated")
    parser.add_argument("--out", type=Path, metavar="FOLDER", required=True, help="where to write the heads")


def _of_misses(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--misses", action="store_true", help="show what was not understood")


EVALUATIONS: Final[dict[str, Evaluation]] = {
    "retrieval": Evaluation(
        "recall of what questions are about, by kind, by profile and without each signal; on conversations "
        "in LoCoMo's shape, told to a system that is started for it",
        _retrieval,
        _of_tables,
    ),
    "fit": Evaluation(
        "learn the weights of the profile `human` on conversations in LoCoMo's shape, and try them on "
        "each conversation left out",
        _fit,
        _of_fit,
    ),
    "temporal": Evaluation(
        "times read exactly, on specification cases in Recognizers-Text's shape", _temporal, _of_temporal
    ),
    "questions": Evaluation(
        "intent, names, feelings and times of questions, on a table of labelled ones",
        _questions,
        _of_questions,
    ),
    "fit-questions": Evaluation(
        "fit the head that hears what a question asks for, on a table of labelled ones",
        _fit_questions,
        _of_fit_questions,
    ),
    "fit-heads": Evaluation(
        "fit a head over texts for each language of a table of labelled ones, and measure it on a fifth",
        _fit_heads,
        _of_fit_heads,
    ),
    "facts": Evaluation(statements.SUMMARY, statements.run, statements.options),
    "daily": Evaluation(daily.SUMMARY, daily.run, daily.options),
    "insights": Evaluation(insights.SUMMARY, insights.run, insights.options, on_file=False),
    "emotion": Evaluation(
        "feelings estimated beside those that people rated: Pearson's r of valence, arousal and dominance in "
        "EmoBank's shape, macro-F1 over seven groups in GoEmotions' shape",
        _emotion,
        _of_emotion,
    ),
    "fit-emotion": Evaluation(
        "fit the heads that estimate feelings, on files in the shapes of EmoBank, EmoITA and GoEmotions",
        _fit_emotion,
        _of_fit_emotion,
    ),
}
"""The evaluations by name."""


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="ricordo eval", description="Measure quality.", allow_abbrev=False)
    names = parser.add_subparsers(dest="name", required=True, metavar="NAME")
    for name, one in EVALUATIONS.items():
        told = names.add_parser(name, help=one.summary, description=one.summary, allow_abbrev=False)
        if one.on_file:
            told.add_argument("--data", type=Path, required=True, metavar="FILE", help="the data set")
        told.add_argument("--json", action="store_true", help="print JSON, an object a line")
        one.options(told)
    return parser


def _progress(said: str) -> None:
    sys.stderr.write(f"  {said}\n")
    sys.stderr.flush()
