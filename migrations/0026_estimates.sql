-- What a checkpoint would take at other thresholds: the last one asked for, of each checkpoint.
create table estimates (
  checkpoint_id text primary key references checkpoints (id) on delete cascade,
  thresholds jsonb not null,
  state text not null check (state in ('queued', 'working', 'done', 'failed', 'cancelled')),
  result jsonb,
  error_code text,
  error_message text,
  created_at timestamptz not null default now(),
  finished_at timestamptz
);
