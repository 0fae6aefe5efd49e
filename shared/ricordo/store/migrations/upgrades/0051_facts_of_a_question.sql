-- All facts that a question asks for are read by one function, `facts_of_question`.
drop function if exists facts_about_named(text, text, text[], text[], integer);
