"""Made-up histories, and whether what is regular in them is found, and nothing else said."""
