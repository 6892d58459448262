-- Addresses that are told when something happens to checkpoints of a repository, or of all repositories of a namespace.
create table webhooks (
  id text collate "C" primary key default replace(gen_random_uuid()::text, '-', ''),
  namespace text collate "C" not null,
  -- Null: all repositories of the namespace.
  repository_id text references repositories (id) on delete cascade,
  url text not null,
  -- Whoever signs needs it as it is, so it is not hashed.
  secret text not null,
  events jsonb not null,
  active boolean not null default true,
  created_at timestamptz not null default now()
);
create index webhooks_by_namespace on webhooks (namespace, id);
create index webhooks_by_repository on webhooks (repository_id) where repository_id is not null;

-- Messages to them: written in the transaction that they tell of, and sent until the receiver takes them.
create table webhook_deliveries (
  -- Also the order in which they were written.
  id bigint generated always as identity primary key,
  webhook_id text collate "C" not null references webhooks (id) on delete cascade,
  event text not null,
  body text not null,
  state text not null default 'pending' check (state in ('pending', 'delivered', 'failed')),
  attempts integer not null default 0,
  -- While one is being sent: when another process may take it over.
  next_at timestamptz not null default now(),
  status integer,
  error text,
  created_at timestamptz not null default now(),
  finished_at timestamptz
);
create index webhook_deliveries_due on webhook_deliveries (webhook_id, next_at) where state = 'pending';
create index webhook_deliveries_of on webhook_deliveries (webhook_id, id);
create index webhook_deliveries_old on webhook_deliveries (created_at);
