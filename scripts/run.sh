#!/bin/sh
# Runs a TypeScript file of this clone from source: scripts/run.sh FILE [ARGUMENT...] Used for the benches.
# Builds first what has changed, for the processes that a bench starts; Node gets the flags of a hub.
set -e
node "$(dirname "$0")/build.mjs"
exec node --max-semi-space-size=4 --no-parallel-scavenge --import tsx "$@"
