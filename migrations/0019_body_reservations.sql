-- Room that is reserved for bodies on their way, by the name that the documents give it.
alter table arrivals rename to body_reservations;
alter table body_reservations rename column keep_until to expires_at;
-- Processes of the version before, which go on running, read and write the old name.
create view arrivals as select id, run_id, checkpoint_id, eval_set_id, size_bytes, expires_at as keep_until from body_reservations;
