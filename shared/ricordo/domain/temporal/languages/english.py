"""English words for time."""

from ricordo.domain.temporal.languages.shared import SIGNS
from ricordo.domain.temporal.lexicon import Kind, Lexicon
from ricordo.domain.temporal.numbers import SeparateNumbers

_SMALL = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen"
).split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_ORDINALS = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth "
    "fifteenth sixteenth seventeenth eighteenth nineteenth twentieth"
).split()


def _ordinals() -> dict[int | str, str]:
    forms: dict[int | str, str] = dict(enumerate(_ORDINALS, 1))
    for tens, word in ((20, "twenty"), (30, "thirty")):
        for n, ones in enumerate(_ORDINALS[:9], 1):
            forms[tens + n] = f"{word}_{ones} {word}_-_{ones}"
    forms[30] = "thirtieth"
    return forms


def _decades() -> dict[int | str, str]:
    names = {20: "twenties", 30: "thirties", 40: "forties", 50: "fifties", 60: "sixties", 70: "seventies",
             80: "eighties", 90: "nineties"}  # fmt: skip
    forms: dict[int | str, str] = {1900 + n: f"{name} nineteen_{name}" for n, name in names.items()}
    forms |= {1800 + n: f"eighteen_{name}" for n, name in names.items()}
    forms |= {2000: "two_thousands", 2010: "twenty_tens twenty_-_tens", 2020: "twenty_twenties"}
    return forms


ENGLISH = Lexicon.build(
    {
        Kind.SIGN: SIGNS,
        Kind.NUMBER: {
            1: "a an",
            2: "couple a_couple a_couple_of couple_of",
            3: "few a_few several some",
        },
        Kind.MINUTES: {
            30: "half_an_hour half_hour",
            90: "an_hour_and_a_half hour_and_a_half",
            15: "quarter_of_an_hour",
        },
        Kind.ORDINAL: {**_ordinals(), -1: "last final"},
        Kind.MONTH: {
            1: "january jan",
            2: "february feb",
            3: "march mar",
            4: "april apr",
            5: "may",
            6: "june jun",
            7: "july jul",
            8: "august aug",
            9: "september sept sep",
            10: "october oct",
            11: "november nov",
            12: "december dec",
        },
        Kind.WEEKDAY: {
            0: "monday mondays mon",
            1: "tuesday tuesdays tues tue",
            2: "wednesday wednesdays weds wed",
            3: "thursday thursdays thurs thur thu",
            4: "friday fridays fri",
            5: "saturday saturdays sat",
            6: "sunday sundays sun",
        },
        Kind.UNIT: {
            "second": "seconds second sec secs",
            "minute": "minute minutes min mins",
            "hour": "hour hours hr hrs h",
            "day": "day days",
            "week": "week weeks wk wks w_/_c eow",
            "weekend": "weekend weekends week_-_end",
            "fortnight": "fortnight fortnights",
            "month": "month months eom",
            "quarter": "quarter quarters",
            "year": "year years yr yrs calendar_year calendar_years cy eoy",
            "decade": "decade decades",
            "century": "century centuries",
            "half": "half",
        },
        Kind.SEASON: {
            3: "spring springtime",
            6: "summer summertime",
            9: "autumn fall",
            12: "winter wintertime",
        },
        Kind.HOLIDAY: {
            "new_year": "new_year_day new_year_'s_day new_years_day new_year_'s new_years",
            "new_year_eve": "new_year_eve new_year_'s_eve new_years_eve nye",
            "epiphany": "epiphany",
            "groundhog": "groundhog_day",
            "martin_luther_king": "martin_luther_king_day martin_luther_king_jr_day mlk_day",
            "valentine": "valentine_'s_day valentines_day valentine_day valentine_'s valentines",
            "presidents": "presidents_'_day presidents_day president_'s_day",
            "women": "women_'s_day womens_day international_women_'s_day",
            "saint_patrick": "saint_patrick_'s_day saint_patrick_day saint_patrick st_patrick_'s_day "
            "st_patricks_day st_._patrick_'s_day saint_patricks_day",
            "april_fools": "april_fools april_fools_day april_fool_'s_day april_fools_'_day april_fool_day",
            "earth": "earth_day",
            "labour_may": "may_day international_workers_day international_workers_'_day workers_'_day "
            "international_worker_'s_day worker_'s_day labour_day",
            "mothers": "mother_'s_day mothers_day mother_day",
            "memorial": "memorial_day",
            "fathers": "father_'s_day fathers_day father_day",
            "juneteenth": "juneteenth",
            "independence_usa": "independence_day us_independence_day",
            "labor_usa": "labor_day",
            "bastille": "bastille_day",
            "columbus": "columbus_day",
            "halloween": "halloween hallowe_'_en halloween_day",
            "all_saints": "all_saints_day all_saints_'_day all_hallows",
            "all_souls": "all_souls_day all_souls_'_day",
            "guy_fawkes": "guy_fawkes_day guy_fawkes_night bonfire_night",
            "veterans": "veterans_day veteran_'s_day",
            "thanksgiving": "thanksgiving thanksgiving_day thanks_giving thanks_giving_day",
            "black_friday": "black_friday",
            "cyber_monday": "cyber_monday",
            "christmas_eve": "christmas_eve xmas_eve",
            "christmas": "christmas christmas_day xmas xmas_day",
            "boxing": "boxing_day",
            "carnival": "mardi_gras shrove_tuesday",
            "ash_wednesday": "ash_wednesday",
            "palm_sunday": "palm_sunday",
            "maundy_thursday": "maundy_thursday",
            "good_friday": "good_friday",
            "easter": "easter easter_day easter_sunday",
            "easter_monday": "easter_monday",
            "pentecost": "pentecost whit_sunday",
        },
        Kind.DAY: {
            -2: "day_before_yesterday",
            -1: "yesterday",
            0: "today tonight",
            1: "tomorrow tmr tmrw tomorow",
            2: "day_after_tomorrow day_after_tmr day_after_tmrw",
        },
        Kind.NOW: {0: "now right_now this_moment just_now"},
        Kind.PART: {
            "morning": "morning mornings",
            "noon": "noon midday noontime",
            "lunch": "lunchtime lunch_time lunch",
            "afternoon": "afternoon afternoons",
            "evening": "evening evenings",
            "dinner": "dinnertime dinner_time",
            "night": "night",
            "overnight": "tonight",
            "midnight": "midnight",
            "dawn": "dawn sunrise",
            "sunset": "sunset dusk",
        },
        Kind.HALF_DAY: {0: "am a_._m_. a_._m a_m", 12: "pm p_._m_. p_._m p_m"},
        Kind.RELATION: {
            "last": "last previous preceding",
            "past": "past",
            "this": "this current present these",
            "next": "next following",
            "coming": "coming upcoming",
        },
        Kind.AGO: {0: "ago back earlier"},
        Kind.LATER: {0: "later hence in_the_future from_now", 1: "'s_time '_time time"},
        Kind.IN: {0: "in"},
        Kind.OVER: {0: "in over during within throughout for"},
        Kind.WITHIN: {0: "within"},
        Kind.BEFORE: {
            0: "before by prior_to earlier_than sooner_than no_later_than as_late_as",
        },
        Kind.AFTER: {0: "after later_than following"},
        Kind.SINCE: {
            0: "since starting_from starting_on starting beginning_on after_or_equal_to later_than_or_at "
            "ever_since as_of",
        },
        Kind.UNTIL: {0: "until till til up_to before_or_in through"},
        Kind.OR: {0: "or and"},
        Kind.OR_LATER: {0: "after later greater onwards onward beyond"},
        Kind.OR_EARLIER: {0: "before earlier"},
        Kind.MORE: {0: "more_than over"},
        Kind.LESS: {0: "less_than"},
        Kind.FROM: {0: "from"},
        Kind.BETWEEN: {0: "between"},
        Kind.TO: {0: "to until till til through thru up_to - ~ – —"},
        Kind.AND: {0: "and"},
        Kind.OF: {0: "of in 's for from in_the_year"},
        Kind.ON: {0: "on at in over during for sometime_on"},
        Kind.AT: {0: "at around about by"},
        Kind.THE: {0: "the my that our his her their"},
        Kind.EDGE: {
            "early": "early beginning_of the_beginning_of start_of the_start_of",
            "mid": "mid mid_- middle_of the_middle_of",
            "late": "late end_of the_end_of end eoy eom eow",
            "rest": "rest rest_of the_rest_of remainder_of later later_in",
            "elapsed": "earlier so_far earlier_in",
        },
        Kind.DECADE: _decades(),
        Kind.DECADE_WORD: {1: "s 's"},
        Kind.QUARTER: {0: "q"},
        Kind.HALF: {0: "h"},
        Kind.FOR: {0: "for"},
        Kind.EVERY: {0: "every each any"},
        Kind.NOT_A_TIME: {
            0: "chinese_new_year lunar_new_year islamic_new_year hijri_new_year arabic_new_year "
            "school_year fiscal_year academic_year fiscal_years sy"
        },
    },
    numbers=SeparateNumbers(
        small={word: n for n, word in enumerate(_SMALL)},
        tens={word: 10 * n for n, word in enumerate(_TENS, 2)},
        hundred="hundred",
        thousand="thousand",
        joint="and",
    ),
    weak="may march mar sun sat mon wed dec fall spring second lunch half jan h q s thu min dinner lunch",
    month_first=True,
    suffixes="st nd rd th",
    follows_day="i we he she they you it is was and or at in with to because but that",
)
