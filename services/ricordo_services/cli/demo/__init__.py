"""`ricordo demo`: some weeks of somebody's life, played in seconds, and what is remembered of them."""
