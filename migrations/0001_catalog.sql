-- The catalog. Names, paths and keys compare byte by byte (collate "C"), so pages are the same on every server.
-- Ids are 32 hex digits, made here unless the caller brings one (packages).

create table repositories (
  id text primary key default replace(gen_random_uuid()::text, '-', ''),
  namespace text collate "C" not null,
  name text collate "C" not null,
  type text not null check (type in ('model', 'dataset', 'space')),
  created_at timestamptz not null default now(),
  unique (namespace, name)
);

create table eval_sets (
  id text primary key default replace(gen_random_uuid()::text, '-', ''),
  repository_id text not null references repositories (id),
  name text collate "C" not null,
  state text not null default 'open' check (state in ('open', 'ready', 'failed')),
  spec jsonb not null,
  graph_key text collate "C",
  graph_sha256 text,
  graph_bytes bigint,
  batches_key text collate "C",
  batches_sha256 text,
  batches_bytes bigint,
  error_code text,
  error_message text,
  created_at timestamptz not null default now(),
  unique (repository_id, name)
);

create table runs (
  id text primary key default replace(gen_random_uuid()::text, '-', ''),
  repository_id text not null references repositories (id),
  name text collate "C" not null,
  fidelity text not null check (fidelity in ('exact', 'lossy')),
  eval_set_id text references eval_sets (id),
  thresholds jsonb not null,
  search jsonb not null,
  -- Unsigned 64-bit, wider than bigint.
  seed text not null check (seed ~ '^[0-9]{1,20}$'),
  parent_checkpoint_id text,
  layer_types jsonb not null,
  binding jsonb,
  -- Names, dtypes and shapes that every checkpoint of the run must have.
  layout jsonb,
  -- Sequence number of the next checkpoint; never given twice.
  next_sequence integer not null default 0,
  created_at timestamptz not null default now(),
  unique (repository_id, name)
);
create index runs_eval_set on runs (eval_set_id) where eval_set_id is not null;
create index runs_parent on runs (parent_checkpoint_id) where parent_checkpoint_id is not null;

create table checkpoints (
  id text primary key default replace(gen_random_uuid()::text, '-', ''),
  run_id text not null references runs (id),
  sequence integer not null check (sequence >= 0),
  step bigint not null check (step >= 0),
  revision text,
  state text not null default 'open' check (state in ('open', 'queued', 'working', 'ready', 'failed', 'cancelled')),
  fixed_config jsonb,
  result jsonb,
  error_code text,
  error_message text,
  package_id text,
  cancel_requested boolean not null default false,
  deleted_at timestamptz,
  created_at timestamptz not null default now(),
  -- Last sign of the uploader; open checkpoints expire by it.
  touched_at timestamptz not null default now(),
  committed_at timestamptz,
  finished_at timestamptz,
  unique (run_id, sequence)
);
create unique index checkpoints_live_step on checkpoints (run_id, step) where deleted_at is null;
create index checkpoints_unfinished on checkpoints (run_id) where state in ('open', 'queued', 'working');
create index checkpoints_open on checkpoints (touched_at) where state = 'open';
create index checkpoints_package on checkpoints (package_id) where package_id is not null;
alter table runs add foreign key (parent_checkpoint_id) references checkpoints (id);

create table checkpoint_files (
  id text primary key default replace(gen_random_uuid()::text, '-', ''),
  checkpoint_id text not null references checkpoints (id) on delete cascade,
  path text collate "C" not null,
  role text not null check (role in ('model', 'sensitivity', 'optimizer', 'other')),
  size_bytes bigint,
  sha256 text,
  git_sha1 text,
  raw_key text collate "C",
  raw_stored_bytes bigint,
  received boolean not null default false,
  storage text check (storage in ('package', 'raw')),
  result_sha256 text,
  result_bytes bigint,
  unique (checkpoint_id, path)
);
create index checkpoint_files_raw_key on checkpoint_files (raw_key) where raw_key is not null;

create table packages (
  id text primary key,
  checkpoint_id text not null references checkpoints (id),
  key text collate "C" not null unique,
  size_bytes bigint not null,
  stored_bytes bigint not null,
  index_offset_bytes bigint not null,
  index_length_bytes bigint not null,
  kind text not null check (kind in ('base', 'delta')),
  ancestor_id text references packages (id),
  chain_length integer not null check (chain_length >= 1),
  created_at timestamptz not null default now(),
  check ((kind = 'base') = (ancestor_id is null)),
  check ((kind = 'base') = (chain_length = 1))
);
create index packages_checkpoint on packages (checkpoint_id);
create index packages_ancestor on packages (ancestor_id) where ancestor_id is not null;
alter table checkpoints add foreign key (package_id) references packages (id);

create table trials (
  checkpoint_id text not null references checkpoints (id) on delete cascade,
  config_key text collate "C" not null,
  config jsonb not null,
  ordinal integer not null check (ordinal >= 0),
  estimated_bytes double precision not null,
  metrics jsonb not null,
  degradation jsonb not null,
  passed boolean not null,
  seconds double precision not null,
  created_at timestamptz not null default now(),
  primary key (checkpoint_id, config_key)
);

create table jobs (
  id bigint generated always as identity primary key,
  kind text collate "C" not null,
  subject_id text collate "C" not null,
  state text not null check (state in ('held', 'queued', 'running', 'done', 'failed', 'cancelled')),
  order_key text collate "C",
  order_sequence bigint,
  run_at timestamptz not null default now(),
  attempts integer not null default 0,
  attempts_max integer not null check (attempts_max >= 1),
  leases_lost integer not null default 0,
  leases_lost_max integer not null check (leases_lost_max >= 1),
  fence integer not null default 0,
  locked_by text collate "C",
  lease_until timestamptz,
  last_error text,
  cancel_requested boolean not null default false,
  created_at timestamptz not null default now(),
  finished_at timestamptz,
  check ((order_key is null) = (order_sequence is null)),
  check ((state = 'running') = (locked_by is not null and lease_until is not null))
);
-- One unfinished job per kind and subject.
create unique index jobs_unfinished_subject on jobs (kind, subject_id) where state in ('held', 'queued', 'running');
-- Two claims that race can never both win a job of one order key, whatever each of them saw.
create unique index jobs_running_order on jobs (order_key) where state = 'running' and order_key is not null;
create index jobs_unfinished_order on jobs (order_key, order_sequence, id) where state in ('held', 'queued', 'running') and order_key is not null;
create index jobs_queued on jobs (run_at, id) where state = 'queued';
-- Few rows, and without lease_until in any index a heartbeat stays on its page (a HOT update) and leaves nothing to vacuum.
create index jobs_running on jobs (id) where state = 'running';
create index jobs_finished on jobs (finished_at) where state in ('done', 'failed', 'cancelled');
create index jobs_subject on jobs (subject_id, kind, id);

create table idempotency (
  key text collate "C" primary key,
  fingerprint text not null,
  -- Null while the request runs.
  status integer,
  headers jsonb,
  body text,
  ttl_ms bigint not null,
  expires_at timestamptz not null
);
create index idempotency_expires on idempotency (expires_at);
