-- A file may have no byte, however it is uploaded.
alter table uploads drop constraint uploads_size_bytes_check;
alter table uploads add constraint uploads_size_bytes_check check (size_bytes >= 0);
