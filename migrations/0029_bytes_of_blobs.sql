-- A file of a commit counted as stored for as long as a checkpoint had been made of it, also after a lossy checkpoint had
-- given up the upload. Such files get another file of their repository with the same bytes, or else have none: then they
-- are asked for again.
update hub_blobs set file_id = (
  select other.id from checkpoint_files other
  join checkpoints on checkpoints.id = other.checkpoint_id join runs on runs.id = checkpoints.run_id
  where runs.repository_id = hub_blobs.repository_id and checkpoints.deleted_at is null and (
    (other.result_sha256 = hub_blobs.sha256 and checkpoints.state = 'ready')
    or (other.sha256 = hub_blobs.sha256 and other.raw_key is not null))
  order by other.raw_key is null, other.id limit 1)
from checkpoint_files file
where file.id = hub_blobs.file_id and file.raw_key is null and file.result_sha256 is distinct from hub_blobs.sha256;
