"""The workers of Ricordo, the local stack and the command line."""
