-- What the checkpoints of a run would like to be measured on, what their jobs therefore wish for, what a worker has.
alter table runs add column device text not null default 'preferred'
  check (device in ('preferred', 'required', 'none'));
alter table jobs add column device text not null default 'none' check (device in ('preferred', 'required', 'none'));
update jobs set device = 'preferred' where kind in ('encode', 'estimate') and state in ('held', 'queued', 'running');
alter table processes add column device text not null default 'cpu' check (device in ('cpu', 'cuda'));
-- What a trial was measured on.
alter table trials add column device text not null default 'cpu' check (device in ('cpu', 'cuda'));
-- Since when a job can be claimed: since the job before it in its order ended.
create index jobs_ended_order on jobs (order_key, finished_at)
  where state in ('done', 'failed', 'cancelled') and order_key is not null;
