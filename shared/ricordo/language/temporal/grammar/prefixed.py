"""Years that stand before what they hold: "last year in May", "nel 2016 per il terzo trimestre"."""

from ricordo.language.temporal.expressions.base import Expression
from ricordo.language.temporal.expressions.parts import Nth
from ricordo.language.temporal.grammar.distances import away
from ricordo.language.temporal.grammar.periods import calendar_period
from ricordo.language.temporal.grammar.placed import in_year, is_year
from ricordo.language.temporal.grammar.reader import Read, Reader
from ricordo.language.temporal.grammar.years import bare_year
from ricordo.language.temporal.lexicon import Kind

_JOINTS = (Kind.IN, Kind.ON, Kind.AT, Kind.OF, Kind.THE)


def year_then_part(reader: Reader, at: int) -> Read | None:
    """Read "last year in May", "l'anno scorso a Natale", "two years ago on 3 May", "2016, in the spring"."""
    year = calendar_period(reader, at) or bare_year(reader, at) or away(reader, at)
    if year is None or not is_year(year.expression):
        return None
    begin = reader.skip_sign(year.end, ",")
    places = dict.fromkeys((begin, reader.skip(begin, *_JOINTS), reader.skip(begin, *_JOINTS, most=2)))
    reads = (_part(reader, place, year.expression) for place in places)
    return max((read for read in reads if read is not None), key=lambda read: read.end, default=None)


def _part(reader: Reader, at: int, year: Expression) -> Read | None:
    n, unit = reader.number(at, Kind.ORDINAL), reader.unit(at + 1)
    if n is not None and unit in {"quarter", "half"}:
        return Read(Nth(n, year, unit), at + 2)
    part = reader.period(at)
    if part is None or not part.expression.partial or part.expression.of_year(2000) is None:
        return None
    return Read(in_year(part.expression, year), part.end)
