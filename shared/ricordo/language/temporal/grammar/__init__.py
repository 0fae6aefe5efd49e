"""One grammar for all languages: the order of kinds of words, whichever words a language has for them.

Every rule is a function from a place in the lexemes to an expression and where it ends. All of them are tried
and the longest wins.
"""
