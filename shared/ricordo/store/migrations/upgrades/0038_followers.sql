-- It returns after which memory a follower comes; functions are created anew after this step.
drop function if exists save_vectors(text, text, uuid[], bytea[], uuid[], bytea[], timestamptz, text[]);
