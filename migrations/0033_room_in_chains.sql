-- Whether merging from this package on, to make room in its chain, was tried in vain.
alter table packages add column room_tried boolean not null default false;
