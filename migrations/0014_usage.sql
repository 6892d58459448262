-- What the parts of eval sets take in the store: their bytes, four of checksum per 256 KiB, and a footer of 32.
alter table eval_sets add column graph_stored_bytes bigint;
alter table eval_sets add column batches_stored_bytes bigint;
update eval_sets set graph_stored_bytes = graph_bytes + 4 * ((graph_bytes + 262143) / 262144) + 32,
  batches_stored_bytes = batches_bytes + 4 * ((batches_bytes + 262143) / 262144) + 32;
-- What a namespace may take in the store; without a row, what there is room for. It need not have a repository yet.
create table namespace_quotas (
  namespace text collate "C" primary key,
  stored_bytes_max bigint not null check (stored_bytes_max >= 0)
);
-- Bytes on connections, by the day (UTC) on which a request ended.
create table transfers (
  repository_id text not null references repositories (id),
  day date not null,
  received_bytes bigint not null check (received_bytes >= 0),
  sent_bytes bigint not null check (sent_bytes >= 0),
  primary key (repository_id, day)
);
