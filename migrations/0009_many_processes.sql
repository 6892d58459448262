-- Bodies on their way to any gateway, with the room they were given. One that is not kept up is that of a gateway that died.
create table arrivals (
  id text primary key,
  run_id text not null,
  checkpoint_id text not null,
  size_bytes bigint not null check (size_bytes >= 0),
  keep_until timestamptz not null
);
-- When a periodic chore was begun last, so that of many processes one does it.
create table chores (
  name text collate "C" primary key,
  begun_at timestamptz not null
);
