-- A deleted run is hidden as long as other runs build on its checkpoints; its name is free at once.
alter table runs add column deleted_at timestamptz;
alter table runs drop constraint runs_repository_id_name_key;
create unique index runs_live_name on runs (repository_id, name) where deleted_at is null;
create index runs_hidden on runs (id) where deleted_at is not null;
create index checkpoints_hidden on checkpoints (id) where deleted_at is not null;
