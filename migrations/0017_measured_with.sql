-- What a checkpoint is measured with, fixed when it is committed: the run may have another eval set by then for the next ones. Absent in what was committed before; then the run's.
alter table checkpoints add column eval_set_id text references eval_sets (id) on delete set null;
alter table checkpoints add column thresholds jsonb;
-- What the training job measured, told with the upload: metric to value.
alter table checkpoints add column expects jsonb;
create index checkpoints_eval_set on checkpoints (eval_set_id) where eval_set_id is not null;
update checkpoints set eval_set_id = runs.eval_set_id, thresholds = runs.thresholds
  from runs where runs.id = checkpoints.run_id and checkpoints.state in ('queued', 'working');
-- A binding holds for the graph it was found in.
alter table runs add column binding_eval_set_id text;
update runs set binding_eval_set_id = eval_set_id where binding is not null;
