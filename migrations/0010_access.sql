-- Who may come in. Of a token only the SHA-256 of its secret is kept; a revoked one keeps its row, so that log lines stay readable.
create table tokens (
  id text collate "C" primary key,
  name text not null,
  secret_sha256 text not null check (secret_sha256 ~ '^[0-9a-f]{64}$'),
  grants jsonb not null,
  -- The one that the first start made; there is at most one, whoever starts at once.
  is_first boolean not null default false,
  created_at timestamptz not null default now(),
  expires_at timestamptz,
  revoked_at timestamptz
);
create unique index tokens_first on tokens (is_first) where is_first;

-- Repositories of before were seen by whoever reached the server, which was its own machine: nobody was promised more.
alter table repositories add column visibility text not null default 'private' check (visibility in ('private', 'public'));
