"""English words for time."""

from ricordo.language.temporal.languages.english_holidays import HOLIDAYS
from ricordo.language.temporal.languages.shared import ROMAN, SIGNS, merged
from ricordo.language.temporal.lexicon import Kind, Lexicon
from ricordo.language.temporal.numbers import SeparateNumbers

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
            12: "dozen a_dozen",
            100: "hundred a_hundred",
        },
        Kind.WHEN: {0: "when"},
        Kind.OWN: {0: "my our his her their your its"},
        Kind.ARTICLE: {0: "a an"},
        Kind.PLURAL: {
            0: "days weeks months years hours minutes weekends mornings afternoons evenings "
            "nights decades centuries quarters mondays tuesdays wednesdays thursdays fridays saturdays "
            "sundays",
        },
        Kind.HALVING: {0: "half half_a half_an"},
        Kind.AND_HALF: {0: "and_a_half"},
        Kind.PAST_HOUR: {30: "half_past", 15: "quarter_past a_quarter_past", -15: "quarter_to a_quarter_to"},
        Kind.MINUTES: {
            30: "half_an_hour half_hour",
            15: "quarter_of_an_hour",
        },
        Kind.ORDINAL: {**merged(_ordinals(), ROMAN), -1: "last final"},
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
            "workday": "business_day business_days working_day working_days work_day work_days workday "
            "workdays",
            "week": "week weeks wk wks w_/_c eow",
            "weekend": "weekend weekends week_-_end",
            "fortnight": "fortnight fortnights",
            "month": "month months eom mtd",
            "quarter": "quarter quarters",
            "year": "year years yr yrs calendar_year calendar_years cy eoy ytd",
            "decade": "decade decades",
            "century": "century centuries",
            "half": "half",
        },
        Kind.SEASON: {
            3: "spring springtime",
            6: "summer summertime summers",
            9: "autumn fall autumns",
            12: "winter wintertime winters",
        },
        Kind.HOLIDAY: HOLIDAYS,
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
            "past": "past recent",
            "this": "this current present these",
            "next": "next following",
            "coming": "coming upcoming",
        },
        Kind.AGO: {0: "ago back earlier"},
        Kind.LATER: {0: "later hence in_the_future from_now", 1: "'s_time '_time time"},
        Kind.IN: {0: "in"},
        Kind.OVER: {0: "in over during within throughout all_through for"},
        Kind.WITHIN: {0: "within"},
        Kind.BEFORE: {
            0: "before by prior_to earlier_than sooner_than no_later_than not_later_than as_late_as <",
        },
        Kind.AFTER: {0: "after later_than following subsequent_to >"},
        Kind.SINCE: {
            0: "since starting_from starting_on starting beginning_on after_or_equal_to later_than_or_at "
            "ever_since as_of on_or_after no_earlier_than not_earlier_than not_before no_sooner_than >_=",
        },
        Kind.UNTIL: {0: "until till til up_to up_until up_till through"},
        Kind.UP_TO: {0: "before_or_in before_or_on on_or_before on_or_earlier_than <_="},
        Kind.OR: {0: "or and"},
        Kind.OR_LATER: {0: "after later greater onwards onward beyond"},
        Kind.OR_EARLIER: {0: "before earlier"},
        Kind.MORE: {0: "more_than over at_least"},
        Kind.LESS: {0: "less_than at_most"},
        Kind.FROM: {0: "from"},
        Kind.BETWEEN: {0: "between"},
        Kind.TO: {0: "to until till til through thru up_to - ~ – —"},
        Kind.AND: {0: "and"},
        Kind.OF: {0: "of in 's for from in_the_year"},
        Kind.ON: {0: "on at in over during for sometime_on"},
        Kind.NUMBERED: {0: "number no"},
        Kind.BEGINNING: {0: "commencing beginning starting that_begins that_began that_starts that_started"},
        Kind.AT: {0: "at around about by"},
        Kind.THE: {0: "the my that our his her their"},
        Kind.EDGE: {
            "early": "early early_- early_in beginning_of the_beginning_of start_of the_start_of early_on_in",
            "mid": "mid mid_- middle_of the_middle_of halfway_through",
            "late": "late late_- late_in end_of the_end_of very_end_of the_very_end_of end eoy eom eow",
            "rest": "rest rest_of the_rest_of remainder_of the_remainder_of",
            "later": "later later_in",
            "earlier": "earlier earlier_in",
            "elapsed": "so_far so_far_in to_date ytd mtd",
        },
        Kind.DECADE: _decades(),
        Kind.DECADE_WORD: {1: "s 's"},
        Kind.QUARTER: {0: "q"},
        Kind.HALF: {0: "h"},
        Kind.FOR: {0: "for"},
        Kind.EVERY: {0: "every each any everyday daily"},
        Kind.WHOLE: {0: "whole entire"},
        Kind.OTHER: {0: "other"},
        Kind.WISH: {0: "happy merry blessed have_a_good have_a_great have_a_nice have_a_lovely enjoy_your"},
        Kind.TITLE: {
            0: "mr mrs ms miss dr aunt auntie uncle cousin sister brother friend grandma granny named called "
            "father dear hello hi hey with lady sir saint",
        },
        Kind.SPEAKING: {
            0: "said says told tells asked asks replied wrote texted called phoned laughed smiled cried "
            "knows knew thinks thought loves loved likes liked wants wanted hates hated lives",
        },
        Kind.THING: {
            0: "room rooms flight bus train page pages chapter line gate platform order code model windows "
            "version number no route apartment building ticket invoice case issue form highway fifa office",
        },
        Kind.VERB: {0: "last"},
        Kind.MODAL: {
            0: "will would can could may might must should shall to not t ll does do did didn doesn cannot "
            "wo",
        },
        Kind.NOT_A_TIME: {
            0: "chinese_new_year lunar_new_year last_minute percent per_cent school_year fiscal_year "
            "academic_year fiscal_years sy",
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
    follows_day="i we he she they you it is was were will and or at in with to for from by on as if so then "
    "than when while where who what how because but that this there please again too also maybe though not "
    "between",
)
