-- Stored objects that were found corrupt or missing; a row is the object's quarantine, until it reads whole again or nothing names it.
create table damaged_objects (
  key text collate "C" primary key,
  what text not null check (what in ('corrupt', 'missing')),
  detail text not null,
  found_at timestamptz not null default now()
);
-- Where the background scrubber is in its round, or when it ended its last; one row.
create table scrub_rounds (
  name text collate "C" primary key,
  begun_at timestamptz not null,
  ended_at timestamptz,
  -- The last key read; empty at the beginning.
  after_key text collate "C" not null,
  objects bigint not null check (objects >= 0),
  bytes bigint not null check (bytes >= 0)
);
