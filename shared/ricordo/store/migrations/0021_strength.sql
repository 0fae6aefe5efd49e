-- What so many more uses (fewer, where negative) make of an importance, 0.02 each up to 0.95, and of what stands beyond that
-- ceiling. As `ricordo.memory.reinforcement.after_uses`; a test holds these copies against it. They are of SQL, without
-- settings and not strict, so that the planner writes them out in the statements that call them.
create function importance_after_uses(importance double precision, beyond double precision, uses double precision)
returns double precision language sql immutable parallel safe
return case when uses = 0 then importance
            else greatest(0, least(importance + beyond + 0.02 * uses, greatest(importance, 0.95))) end;

create function beyond_after_uses(importance double precision, beyond double precision, uses double precision)
returns double precision language sql immutable parallel safe
return case when uses = 0 then beyond
            else greatest(0, importance + beyond + 0.02 * uses - importance_after_uses(importance, beyond, uses)) end;
