-- Runs made before thresholds could be held on each half of the eval set are judged on the whole.
update runs set search = search || '{"evalBatches": "all"}' where not search ? 'evalBatches';
-- Metrics of each half, of trials that were judged on both.
alter table trials add column halves jsonb;
