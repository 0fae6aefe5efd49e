"""Parses times in a text: dates, ranges and relative times, in Italian and English, without a model.

`time_words.toml` holds the words of a language, `grammar` reads their order, `expressions` say what was read,
and a `Moment` turns that into instants in the user's zone.
"""
