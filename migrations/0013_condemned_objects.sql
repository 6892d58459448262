-- Objects that nothing names any more, and that wait to be deleted; those that merges replaced had a table of their own.
alter table retired_packages rename to condemned_objects;
alter table condemned_objects rename column retired_at to condemned_at;
-- Null where it was not known; a pass over the store fills it in.
alter table condemned_objects add column stored_bytes bigint check (stored_bytes >= 0);
-- Null where an object tells too little of whose it was.
alter table condemned_objects add column repository_id text references repositories (id);
alter table condemned_objects add column reason text not null default 'merged' check (reason in ('replaced', 'discarded', 'released', 'deleted', 'merged', 'orphan'));
create index condemned_objects_repository on condemned_objects (repository_id);
-- Processes of the version before, which go on running, write what they merge here.
create view retired_packages as select key, condemned_at as retired_at from condemned_objects;

-- Parts of eval sets are on their way, too.
alter table arrivals alter column run_id drop not null;
alter table arrivals alter column checkpoint_id drop not null;
alter table arrivals add column eval_set_id text;
alter table arrivals add check ((run_id is null) = (eval_set_id is not null) and (run_id is null) = (checkpoint_id is null));
