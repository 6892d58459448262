-- Holds its number, so that numbers have no gap.
select 1;
