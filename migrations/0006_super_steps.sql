-- A stored package may hold several checkpoints: each keeps its row and its id, and says which of them it is. stored_bytes of the rows of one object add up to its own.
alter table packages drop constraint packages_key_key;
alter table packages add column super_step_id text;
alter table packages add column position integer not null default 0 check (position >= 0);
-- Whether merging was tried from this package on and did not pay.
alter table packages add column merge_tried boolean not null default false;
alter table packages add check (super_step_id is not null or position = 0);
create unique index packages_object on packages (key, position);
-- Objects that were replaced, kept for those who are reading them.
create table retired_packages (
  key text collate "C" primary key,
  retired_at timestamptz not null default now()
);
