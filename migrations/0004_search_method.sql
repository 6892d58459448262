-- Runs made before there was more than one method were searched with the paper's.
update runs set search = search || '{"method": "inshrinkerator"}' where not search ? 'method';
