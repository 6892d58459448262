-- Objects that nothing names any more, and that wait to be deleted, by the name that the documents give them.
alter table condemned_objects rename to pending_deletions;
alter table pending_deletions rename column condemned_at to pending_since;
alter index condemned_objects_repository rename to pending_deletions_repository;
-- Processes of the version before, which go on running, read and write the old name.
create view condemned_objects as select key, pending_since as condemned_at, stored_bytes, repository_id, reason from pending_deletions;
