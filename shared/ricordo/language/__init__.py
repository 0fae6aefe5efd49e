"""Understanding text in Italian and English, without a language model: pure functions, no I/O."""
