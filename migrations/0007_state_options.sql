-- How a run's optimizer files are kept; null is exact.
alter table runs add column state jsonb;
