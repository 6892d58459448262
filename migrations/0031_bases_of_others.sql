-- Who reads a fine-tune may not be allowed to see its base model, so no result names a checkpoint of another
-- repository any more. Those that do forget it.
update checkpoints set result = checkpoints.result - 'ancestorRun' - 'ancestorStep'
from packages delta, packages base, checkpoints base_checkpoint, runs base_run, runs run
where delta.id = checkpoints.package_id and base.id = delta.ancestor_id
  and base_checkpoint.id = base.checkpoint_id and base_run.id = base_checkpoint.run_id
  and run.id = checkpoints.run_id and run.repository_id <> base_run.repository_id;
-- What an estimate built on is not recorded: the result of it may name whatever its run began from.
update estimates set result = estimates.result - 'ancestorRun' - 'ancestorStep'
from checkpoints, runs run, checkpoints parent, runs parent_run
where checkpoints.id = estimates.checkpoint_id and run.id = checkpoints.run_id
  and parent.id = run.parent_checkpoint_id and parent_run.id = parent.run_id
  and parent_run.repository_id <> run.repository_id;
