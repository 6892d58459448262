-- Which search of the checkpoint a trial is part of, from 1.
alter table trials add column search integer not null default 1;
