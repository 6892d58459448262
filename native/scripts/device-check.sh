#!/usr/bin/env bash
# Builds the CUDA library and what runs on it, tests and measures it, and looks for races and stray accesses, on a
# machine with an NVIDIA GPU: needs CMake, a C++20 compiler and nvcc. Logs go to $OUT, or ./device-check without one.
#   native/scripts/device-check.sh [rounds of every test, 10000 unless told]
set -u
native=$(cd "$(dirname "$0")/.." && pwd)
out=${OUT:-device-check}
rounds=${1:-10000}
build=${FIRN_DEVICE_BUILD:-/tmp/firn-device-build}
mkdir -p "$out"
export PATH=$PATH:/usr/local/cuda/bin
failed=0

# step NAME SECONDS COMMAND...: its output in $out/NAME.log, its last lines here.
step() {
  local name=$1 limit=$2 started=$SECONDS
  shift 2
  timeout "$limit" "$@" > "$out/$name.log" 2>&1
  local code=$?
  [ $code -eq 0 ] || failed=1
  echo "== $name: exit code $code, $((SECONDS - started)) s"
  tail -n "${LINES_SHOWN:-4}" "$out/$name.log"
  return $code
}

nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv,noheader
step configure 60 cmake -S "$native" -B "$build" -DFIRN_CUDA=ON -DCMAKE_CUDA_ARCHITECTURES=90-real \
  -DFIRN_BUILD_ADDON=OFF -DFIRN_INVARIANTS=1 || exit 1
step build 150 cmake --build "$build" --parallel "$(nproc)" --target firn_device_tests firn_device_bench firn_cuda || {
  grep -n error "$out/build.log" | head -20
  exit 1
}
export FIRN_TESTS_DEVICE=required
FIRN_TESTS_ROUNDS=20 LINES_SHOWN=12 step tests-short 60 "$build/firn_device_tests"
LINES_SHOWN=40 step bench 90 "$build/firn_device_bench"
export FIRN_TESTS_COLUMNS=cuda
for tool in memcheck racecheck synccheck; do
  FIRN_TESTS_ROUNDS=4 step "$tool" 60 compute-sanitizer --tool "$tool" --error-exitcode 9 "$build/firn_device_tests"
done
FIRN_TESTS_ROUNDS=$rounds LINES_SHOWN=12 step tests-long 150 "$build/firn_device_tests"
exit $failed
