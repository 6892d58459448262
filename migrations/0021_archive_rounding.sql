-- The rounding that was called `dead-zone` is called `archive`.
update runs set search = search || '{"rounding": "archive"}' where search ->> 'rounding' = 'dead-zone';
