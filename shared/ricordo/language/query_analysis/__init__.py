"""Finds out what a query asks for, without a language model.

`question_sentence` finds the sentence that asks and its subject, `question_names` its names;
`intents` chooses the intent by rules, and by a fitted head where these see nothing particular.
`claims` adds what a language model says of it. The patterns are `questions.toml` of each language.
"""
