-- Repositories as hub clients see them: files by content, trees, commits and refs, with git's object ids.

-- Bytes of files in commits. They are a raw object of their own, or a file of a checkpoint, which may rebuild them; neither once
-- the checkpoint was deleted. Until a commit names a file it is only uploaded, and expires.
create table hub_blobs (
  repository_id text not null references repositories (id),
  sha256 text not null check (sha256 ~ '^[0-9a-f]{64}$'),
  size_bytes bigint not null check (size_bytes >= 0),
  raw_key text collate "C" unique,
  raw_stored_bytes bigint,
  file_id text references checkpoint_files (id) on delete set null,
  is_committed boolean not null default false,
  touched_at timestamptz not null default now(),
  primary key (repository_id, sha256),
  check ((raw_key is null) = (raw_stored_bytes is null))
);
create index hub_blobs_file on hub_blobs (file_id) where file_id is not null;
create index hub_blobs_uploaded on hub_blobs (touched_at) where not is_committed;

-- One folder each; the id is git's, so equal folders are one row.
create table hub_trees (
  repository_id text not null references repositories (id),
  id text not null check (id ~ '^[0-9a-f]{40}$'),
  entries jsonb not null,
  primary key (repository_id, id)
);

create table hub_commits (
  repository_id text not null references repositories (id),
  id text not null check (id ~ '^[0-9a-f]{40}$'),
  tree_id text not null,
  parent_id text,
  title text not null,
  message text not null,
  author text not null,
  created_at timestamptz not null,
  -- Digest of the request that made it, so that a request sent twice makes one commit.
  request_sha256 text,
  primary key (repository_id, id),
  foreign key (repository_id, tree_id) references hub_trees (repository_id, id)
);

create table hub_refs (
  repository_id text not null references repositories (id),
  kind text not null check (kind in ('branch', 'tag')),
  name text collate "C" not null,
  commit_id text not null,
  primary key (repository_id, kind, name),
  foreign key (repository_id, commit_id) references hub_commits (repository_id, id)
);

-- Chunks that an Xet client uploaded, until files were rebuilt from them.
create table hub_xorbs (
  repository_id text not null references repositories (id),
  hash text not null check (hash ~ '^[0-9a-f]{64}$'),
  key text collate "C" not null unique,
  size_bytes bigint not null check (size_bytes > 0),
  stored_bytes bigint not null,
  -- Of each chunk: hash, raw bytes, offset and length in the object.
  chunks jsonb not null,
  touched_at timestamptz not null default now(),
  primary key (repository_id, hash)
);
create index hub_xorbs_touched on hub_xorbs (touched_at);

-- The key that signs the addresses to which clients upload without a token. One row, the same for all gateways.
create table hub_keys (
  id integer primary key check (id = 1),
  secret text not null
);
insert into hub_keys (id, secret) values (1, replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''));

-- Bodies of such files are on their way, too.
alter table body_reservations add column repository_id text;
alter table body_reservations drop constraint arrivals_check;
alter table body_reservations add check (num_nonnulls(run_id, eval_set_id, repository_id) = 1 and (run_id is null) = (checkpoint_id is null));

-- What becomes of weights that hub clients push; null: they are kept exact.
alter table repositories add column hub_settings jsonb;

-- Checkpoints that commits of hub clients made.
create table hub_checkpoints (
  checkpoint_id text primary key references checkpoints (id) on delete cascade,
  repository_id text not null references repositories (id),
  commit_id text not null,
  branch text collate "C" not null,
  -- Where the checkpoint's files are in the commit; empty for the root.
  folder text collate "C" not null,
  -- The commit that shows the compressed form, or the pushed one where both are the same; null until that is known.
  published_id text
);
create index hub_checkpoints_unpublished on hub_checkpoints (checkpoint_id) where published_id is null;

-- A deleted repository keeps its row while bytes of it wait to be collected, under a name that no client can spell.
alter table repositories add column deleted_at timestamptz;

create index checkpoints_revision on checkpoints (revision) where revision is not null;
