#!/usr/bin/env bash
# The hf command line. Arguments: the command, repository.
set -euo pipefail
hf=$1
repo=$2
mkdir -p source/sub
printf '{"a": 1}' >source/config.json
printf 'text' >'source/sub/a file.txt'
head -c 3000000 /dev/urandom >source/sub/data.bin
"$hf" auth whoami
"$hf" repos create "$repo" --private
"$hf" upload "$repo" source . --commit-message 'step 1'
"$hf" download "$repo" --local-dir back
diff -r --exclude=.cache source back
"$hf" repos tag create "$repo" v1
"$hf" repos tag list "$repo"
"$hf" repos branch create "$repo" trial
printf 'late' >late.txt
"$hf" upload "$repo" late.txt late.txt --revision trial
"$hf" download "$repo" late.txt --revision trial --local-dir trial
cmp late.txt trial/late.txt
"$hf" repos delete-files "$repo" 'sub/*'
"$hf" download "$repo" --local-dir after
[ ! -e after/sub ] && [ -e after/config.json ]
"$hf" download "$repo" sub/data.bin --revision v1 --local-dir tagged
cmp source/sub/data.bin tagged/sub/data.bin
"$hf" repos settings "$repo" --public
"$hf" models info "$repo"
"$hf" repos branch delete "$repo" trial
"$hf" repos tag delete "$repo" v1 --yes
"$hf" repos move "$repo" "$repo-moved"
"$hf" repos delete "$repo-moved" --yes
