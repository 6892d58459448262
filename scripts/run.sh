#!/bin/sh
# Runs a TypeScript file of this clone as it is: scripts/run.sh FILE [ARGUMENT...]
# For the demo and the benches. The native core is built first where its sources changed; Node gets the flags of a hub.
set -e
node "$(dirname "$0")/build-native.mjs"
exec node --max-semi-space-size=4 --no-parallel-scavenge --import tsx "$@"
