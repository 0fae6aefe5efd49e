-- The functions of a recall are new: they are created after this step, as all functions are.
select;
