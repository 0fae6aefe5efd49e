"""`ricordo eval`: its evaluations and their options."""

import argparse
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from ricordo_lab.answers import answer_fit
from ricordo_lab.console import exit_code
from ricordo_lab.evaluation import (
    answer_evaluation,
    emotion_evaluation,
    encoder_fit,
    question_evaluation,
    ranking_fit,
    retrieval_evaluation,
    softmax_heads,
)
from ricordo_lab.evaluation.results import Miss, NamedFigures, Row, print_results
from ricordo_lab.peers import comparison
from ricordo_lab.reader import fact_evaluation, reader_fit


class Evaluation(NamedTuple):
    """An evaluation.

    Attributes:
        summary: what it measures, and on what.
        run: yields what it found.
        options: flags of its parser and their settings, beside --data and --json.
        data: the data set, where none is named.
    """

    summary: str
    run: Callable[[argparse.Namespace], Iterator[NamedFigures | Row | Miss]]
    options: Mapping[str, Mapping[str, Any]] = MappingProxyType({})
    data: Path | None = None


_MISSES: Final[Mapping[str, Mapping[str, Any]]] = {
    "--misses": {"action": "store_true", "help": "print what was missed"}
}


def _out(metavar: str, *, required: bool = True) -> Mapping[str, Mapping[str, Any]]:
    written = {"type": Path, "metavar": metavar, "required": required, "help": "where to write the result"}
    return {"--out": written}


def _file(words: str) -> Mapping[str, Any]:
    return {"type": Path, "metavar": "FILE", "required": True, "help": words}


_LEAVE_OUT: Final[Mapping[str, Mapping[str, Any]]] = {
    "--leave-out": {"action": "append", "metavar": "WRITER", "help": "measured, not fitted; repeatable"}
}
_ITALIAN: Final[Mapping[str, Mapping[str, Any]]] = {
    "--italian": {"type": Path, "metavar": "FOLDER", "help": "turns and questions in Italian, by id"}
}
EVALUATIONS: Final[dict[str, Evaluation]] = {
    "retrieval": Evaluation(
        "recall of the evidence of questions, by kind, by profile and without each signal, on conversations "
        "in LoCoMo's format, lives or sayings, in a system that is started for it",
        retrieval_evaluation.run,
        _ITALIAN,
    ),
    "peers": Evaluation(
        "speed, size and recall of ricordo beside other memories without a language model, each installed in "
        "an environment of its own, and what grows when recalls are fed back",
        comparison.run,
        comparison.OPTIONS,
        comparison.LIVES,
    ),
    "answers": Evaluation(
        "which answers are right, whether what was never said is refused, and whether contexts hold the "
        "answer, on lives or chats and questions in a folder, in a system that is started for it",
        answer_evaluation.run,
        {
            "--writer": {"action": "append", "metavar": "NAME", "help": "measured (all); repeatable"},
            **_MISSES,
        },
    ),
    "fit": Evaluation(
        "fit the weights of the profile `human` on conversations in LoCoMo's format and their translations, "
        "and measure them on each conversation left out",
        ranking_fit.run,
        {**_ITALIAN, **_out("FILE", required=False)},
    ),
    "fit-encoder": Evaluation(
        "fit the adapter of the embedding model on annotated chats and the questions about them, in a "
        "folder; needs PyTorch, half an hour on a core",
        encoder_fit.run,
        {**_LEAVE_OUT, **_out("FILE")},
    ),
    "fit-reader": Evaluation(
        "fit the reader of statements, feelings, names and times on annotated chats in a folder; needs "
        "PyTorch, two hours on two cores",
        reader_fit.run,
        {
            **_LEAVE_OUT,
            "--folds": {"type": int, "default": 0, "help": "instead measure all writers in so many groups"},
            "--rated": {
                "type": Path,
                "metavar": "FILE",
                "action": "append",
                "help": "texts rated V, A and D as in EmoBank and EmoITA; repeatable",
            },
            "--procedures": _file("lines of how or -, language and text"),
            "--seed": {"type": int, "default": 0, "help": "of what is drawn by chance (0)"},
            **_out("FILE"),
        },
    ),
    "fit-answers": Evaluation(
        "fit the reader of question and passage on questions about chats in a folder; needs PyTorch, an hour "
        "on two cores",
        answer_fit.run,
        {
            **_LEAVE_OUT,
            "--seed": {"type": int, "default": 0, "help": "of what is drawn by chance (0)"},
            **_out("FILE"),
        },
    ),
    "facts": Evaluation(
        "facts that `ricordo extract` finds in annotated chats in a folder, against those that people noted",
        fact_evaluation.run,
        {"--writer": {"action": "append", "metavar": "WRITER", "help": "measured (all); repeatable"}},
    ),
    "questions": Evaluation(
        "intent, names, feelings and times of questions, on a table of labelled ones",
        question_evaluation.run,
        {
            "--by": {
                "choices": [*question_evaluation.DECIDERS],
                "default": "both",
                "help": "what chooses the intent (both)",
            },
            **_MISSES,
        },
    ),
    "fit-questions": Evaluation(
        "fit the head that chooses the intent of a question, for each language of a table of labelled ones",
        softmax_heads.run_questions,
        _out("FOLDER"),
    ),
    "fit-heads": Evaluation(
        "fit a head over texts for each language of a table of labelled ones, or of a folder of questions "
        "the one that knows follow-ups, and measure it on a fifth",
        softmax_heads.run_texts,
        {
            "--questions": {"action": "store_true", "help": "the texts are questions"},
            **_out("FOLDER"),
        },
    ),
    "emotion": Evaluation(
        "estimated feelings against ratings in EmoBank's format: r of valence, arousal and dominance",
        emotion_evaluation.run,
    ),
}
"""The evaluations by name."""


def main(arguments: Sequence[str]) -> int:
    """Run the evaluation that `arguments` name, and print what it finds.

    Returns:
        The exit code: 0 done, 1 failed, 2 usage.
    """
    return exit_code(lambda: _evaluate(arguments))


def _evaluate(arguments: Sequence[str]) -> None:
    asked = _parser().parse_args(arguments)
    print_results(EVALUATIONS[asked.name].run(asked), as_json=asked.json)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="ricordo eval", description="Measure quality.", allow_abbrev=False)
    names = parser.add_subparsers(dest="name", required=True, metavar="NAME")
    for name, one in EVALUATIONS.items():
        sub = names.add_parser(name, help=one.summary, description=one.summary, allow_abbrev=False)
        words = "the data set" + (f" ({one.data.name} of the corpus)" if one.data else "")
        sub.add_argument("--data", **{**_file(words), "default": one.data, "required": one.data is None})
        sub.add_argument("--json", action="store_true", help="print JSON, an object a line")
        for flag, settings in one.options.items():
            sub.add_argument(flag, **settings)
    return parser
