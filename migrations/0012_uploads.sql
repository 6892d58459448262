-- Uploads that can be resumed: of a file of an open checkpoint, or of a part of an open eval set. Their bytes are pieces, objects of their own, until the last has come.
create table uploads (
  id text collate "C" primary key default replace(gen_random_uuid()::text, '-', ''),
  repository_id text not null references repositories (id),
  checkpoint_id text references checkpoints (id) on delete cascade,
  path text,
  role text check (role in ('model', 'sensitivity', 'optimizer', 'other')),
  eval_set_id text references eval_sets (id) on delete cascade,
  part text check (part in ('graph', 'batches')),
  size_bytes bigint not null check (size_bytes > 0),
  sha256 text check (sha256 ~ '^[0-9a-f]{64}$'),
  -- Given where parts come in any order; absent where bytes come one after the other.
  part_bytes bigint check (part_bytes > 0),
  -- As its client sent it, for its client.
  metadata text,
  -- What has arrived and was acknowledged; without gaps where there are no parts.
  received_bytes bigint not null default 0,
  piece_count integer not null default 0,
  is_complete boolean not null default false,
  -- Who may add pieces: the last to have begun.
  writer text,
  -- Until then somebody puts the pieces together, and nobody may add any.
  finishing_until timestamptz,
  expires_at timestamptz not null,
  created_at timestamptz not null default now(),
  check (received_bytes between 0 and size_bytes),
  check ((checkpoint_id is null) <> (eval_set_id is null)),
  check ((checkpoint_id is null) = (path is null) and (eval_set_id is null) = (part is null))
);
create index uploads_checkpoint on uploads (checkpoint_id);
create index uploads_eval_set on uploads (eval_set_id);
create index uploads_expiry on uploads (expires_at);

create table upload_pieces (
  upload_id text collate "C" not null references uploads (id) on delete cascade,
  offset_bytes bigint not null check (offset_bytes >= 0),
  size_bytes bigint not null check (size_bytes > 0),
  -- With frame and checksums.
  stored_bytes bigint not null,
  key text collate "C" not null unique,
  -- Of a part.
  sha256 text,
  primary key (upload_id, offset_bytes)
);
