-- Which processes of the hub live: each says so again and again, and one that has not for a while is gone.
create table processes (
  id text primary key,
  -- Whether it takes requests, and whether it takes jobs now.
  gateway boolean not null,
  worker boolean not null,
  version text not null,
  started_at timestamptz not null,
  seen_at timestamptz not null
);
-- W3C traceparent of the request that let the work begin.
alter table jobs add column traceparent text;
