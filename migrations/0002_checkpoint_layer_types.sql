-- Layer types given with one checkpoint; each entry wins over the run's.
alter table checkpoints add column layer_types jsonb;
