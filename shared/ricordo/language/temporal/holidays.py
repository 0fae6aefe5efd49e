"""Days that have a name. Each is a rule from a year to its date; the words for them belong to a language."""

from collections.abc import Callable, Mapping
from datetime import date, timedelta

from ricordo.language.temporal.gregorian import DAY, days_in_year, easter, nth_weekday, weekday_from

_Rule = Callable[[int], date]


def _fixed(month: int, day: int) -> _Rule:
    return lambda year: date(year, month, day)


def _nth(month: int, weekday: int, n: int, days: int = 0) -> _Rule:
    return lambda year: nth_weekday(year, month, weekday, n) + timedelta(days=days)


def _easter(days: int) -> _Rule:
    return lambda year: easter(year) + timedelta(days=days)


def _first_advent(year: int) -> date:
    return weekday_from(date(year, 11, 27), 6)


def _islamic(month: int, day: int) -> _Rule:
    return lambda year: days_in_year(year, month, day)[-1]


_RULES: Mapping[str, _Rule] = {
    "new_year": _fixed(1, 1),
    "epiphany": _fixed(1, 6),
    "martin_luther_king": _nth(1, 0, 3),
    "inauguration_usa": _fixed(1, 20),
    "australia": _fixed(1, 26),
    "holocaust": _fixed(1, 27),
    "groundhog": _fixed(2, 2),
    "valentine": _fixed(2, 14),
    "presidents": _nth(2, 0, 3),
    "women": _fixed(3, 8),
    "saint_patrick": _fixed(3, 17),
    "saint_joseph": _fixed(3, 19),
    "april_fools": _fixed(4, 1),
    "earth": _fixed(4, 22),
    "saint_george": _fixed(4, 23),
    "liberation": _fixed(4, 25),
    "labour_may": _fixed(5, 1),
    "cinco_de_mayo": _fixed(5, 5),
    "mothers": _nth(5, 6, 2),
    "memorial": _nth(5, 0, -1),
    "republic_italy": _fixed(6, 2),
    "flag_usa": _fixed(6, 14),
    "fathers": _nth(6, 6, 3),
    "juneteenth": _fixed(6, 19),
    "saint_john": _fixed(6, 24),
    "saints_peter_and_paul": _fixed(6, 29),
    "canada": _fixed(7, 1),
    "independence_usa": _fixed(7, 4),
    "bastille": _fixed(7, 14),
    "saint_lawrence": _fixed(8, 10),
    "assumption": _fixed(8, 15),
    "labor_usa": _nth(9, 0, 1),
    "grandparents_italy": _fixed(10, 2),
    "columbus": _nth(10, 0, 2),
    "halloween": _fixed(10, 31),
    "all_saints": _fixed(11, 1),
    "all_souls": _fixed(11, 2),
    "guy_fawkes": _fixed(11, 5),
    "veterans": _fixed(11, 11),
    "saint_andrew": _fixed(11, 30),
    "thanksgiving": _nth(11, 3, 4),
    "black_friday": _nth(11, 3, 4, 1),
    "cyber_monday": _nth(11, 3, 4, 4),
    "first_advent": _first_advent,
    "immaculate": _fixed(12, 8),
    "saint_lucy": _fixed(12, 13),
    "christmas_eve": _fixed(12, 24),
    "christmas": _fixed(12, 25),
    "boxing": _fixed(12, 26),
    "new_year_eve": _fixed(12, 31),
    "fat_thursday": _easter(-52),
    "carnival": _easter(-47),
    "ash_wednesday": _easter(-46),
    "palm_sunday": _easter(-7),
    "maundy_thursday": _easter(-3),
    "good_friday": _easter(-2),
    "holy_saturday": _easter(-1),
    "easter": _easter(0),
    "easter_monday": _easter(1),
    "ascension": _easter(39),
    "pentecost": _easter(49),
    "whit_monday": _easter(50),
    "corpus_christi": _easter(60),
    "islamic_new_year": _islamic(1, 1),
    "mawlid": _islamic(3, 12),
    "ramadan": _islamic(9, 1),
    "eid_al_fitr": _islamic(10, 1),
    "eid_al_adha": _islamic(12, 10),
}
_LENGTHS: Mapping[str, int] = {"ramadan": 30}


def holiday(name: str, year: int) -> tuple[date, date]:
    """Return the first day of the holiday called `name` (a key of the lexicons) in `year`, and the day after.

    Raises:
        ValueError: That year has none, or lies outside of the calendar.
    """
    first = _RULES[name](year)
    return first, first + _LENGTHS.get(name, 1) * DAY
