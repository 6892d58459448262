#!/usr/bin/env bash
# Installs the Python clients that test/hub-clients runs, into hub-1 and hub-2 of a folder (build/hub-clients by
# default). An environment that is there already is added to. Exits with 1 where pip does not find them.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=${1:-build/hub-clients}
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
for number in 1 2; do
  [ -x "$folder/hub-$number/bin/python" ] || python3 -m venv "$folder/hub-$number"
  # Python compiles what a client imports, a small part, when it is imported first.
  "$folder/hub-$number/bin/pip" install --no-compile --quiet --disable-pip-version-check --retries 0 \
    -r "test/hub-clients/requirements-$number.txt"
done
# Both use one copy of PyTorch and transformers: the second sees the packages of the first that it does not have itself.
packages_of() { "$folder/hub-$1/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))'; }
packages_of 1 >"$(packages_of 2)/shared.pth"
