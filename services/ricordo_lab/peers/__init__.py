"""Ricordo beside other memories without a language model, in one run: `ricordo eval peers`."""
