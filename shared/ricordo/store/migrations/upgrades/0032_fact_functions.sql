-- The functions of knowledge are new: they are created after this step, as all functions are.
select;
