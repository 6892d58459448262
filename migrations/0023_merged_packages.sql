-- Which merged package a package is part of, by the name that the documents give it.
alter table packages rename column super_step_id to merged_package_id;
-- Processes of the version before, which go on running, read and write the old name.
alter table packages add column super_step_id text;
update packages set super_step_id = merged_package_id where merged_package_id is not null;
create function packages_both_names() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    new.merged_package_id := coalesce(new.merged_package_id, new.super_step_id);
  elsif new.super_step_id is distinct from old.super_step_id then
    new.merged_package_id := new.super_step_id;
  end if;
  new.super_step_id := new.merged_package_id;
  return new;
end
$$;
create trigger packages_both_names before insert or update on packages for each row execute function packages_both_names();
