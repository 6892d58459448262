-- A file may be stored as a reference: its bytes are those of a file of the same repository that is stored already, its origin, which never is a reference itself.
alter table checkpoint_files drop constraint checkpoint_files_storage_check;
alter table checkpoint_files add check (storage in ('package', 'raw', 'reference'));
-- A hidden checkpoint's references are forgotten, as its raw objects are.
alter table checkpoint_files add column origin_id text references checkpoint_files (id);
alter table checkpoint_files add check (origin_id is null or storage = 'reference');
create index checkpoint_files_origin on checkpoint_files (origin_id) where origin_id is not null;
-- Where identical bytes are looked for.
create index checkpoint_files_stored on checkpoint_files (result_sha256) where storage in ('package', 'raw');
