"""How good what Ricordo derives is, measured on data sets that are not shipped."""
