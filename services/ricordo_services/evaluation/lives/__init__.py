"""Generated lives, and whether what they tell again and again is known in spite of what they say once."""
