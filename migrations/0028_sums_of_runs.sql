-- Pages add up the bytes of ten thousand checkpoints. Read from the JSON of each result, that took most of a page's
-- time: these columns follow the result by themselves, and an index holds all that the sums need.
alter table checkpoints
  add column raw_bytes bigint generated always as
    (case when jsonb_typeof(result -> 'rawBytes') = 'number' then (result ->> 'rawBytes')::numeric::bigint end) stored,
  add column stored_bytes bigint generated always as
    (case when jsonb_typeof(result -> 'storedBytes') = 'number' then (result ->> 'storedBytes')::numeric::bigint end) stored;
create index checkpoints_sums on checkpoints (run_id, state) include (raw_bytes, stored_bytes) where deleted_at is null;
