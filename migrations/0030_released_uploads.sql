-- The upload that a lossy checkpoint gave up last: what was pushed stays readable until the object is deleted.
alter table hub_blobs add column released_key text collate "C";
