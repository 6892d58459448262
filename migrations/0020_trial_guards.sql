alter table trials add column standard_error jsonb;
alter table trials add column observed jsonb;
