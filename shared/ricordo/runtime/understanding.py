"""Who reads a question: the rules, in Italian and English, which need nobody."""

from ricordo.domain.analysis import Analysis, analyse
from ricordo.ports.analyser import Question, Understanding


class RulesAnalyser:
    """A `QueryAnalyser` that is never away and never waits."""

    async def understand(self, question: Question) -> Understanding:
        """Analyse `question` by rules."""
        return Understanding(by_rules(question))


def by_rules(question: Question) -> Analysis:
    """Return what the rules make of `question`."""
    return analyse(
        question.text,
        now=question.now,
        zone=question.zone,
        language=question.language,
        known_names=question.known_names,
    )
