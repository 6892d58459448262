-- When a run was closed: it takes no new steps until it is opened again.
alter table runs add column closed_at timestamptz;
-- Said with an upload that it is the last of its run, and how it is to be kept; `{}` is as the others.
alter table checkpoints add column final jsonb;
