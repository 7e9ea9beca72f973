#!/usr/bin/env bash
# Why native code may be trusted, in numbers: a million pairs of a program and a request on which interpreter, tables and
# native code agree; every seeded fault of the code generator caught by that comparison; ten thousand programs compiled
# and freed in flat memory; tables where the system refuses executable memory. Fails when a number falls short.
# --short: some pairs of a seed that no test has used, 500 programs, one refusal. TWP_SEED repeats a run.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
cd "$root"
short=0; [ "${1:-}" = --short ] && short=1
seed=${TWP_SEED:-$(date +%s)}
pairs=1000000 programs=10000
[ $short = 1 ] && { pairs=12000; programs=500; }
out=$(mktemp); trap 'rm -f "$out"' EXIT

# Runs tests and shows what they say. All of the workspace is named, so that what the tests have built is used again.
run() {
  local status=0
  cargo test --workspace --quiet "$@" >"$out" 2>&1 || status=$?
  if [ $status != 0 ]; then tail -n 60 "$out"; echo "FAIL: cargo test --workspace $*"; exit 1; fi
}

# The lines of the last run that have this, indented; fails when there are less than so many.
show() {
  local least=$1 pattern=$2 found
  found=$(grep -E "$pattern" "$out" || true)
  if [ "$(grep -c . <<<"$found")" -lt "$least" ]; then cat "$out"; echo "FAIL: fewer than $least lines of '$pattern'"; exit 1; fi
  sed 's/^/  /' <<<"$found"
}

echo "agreement of interpreter, tables and native code:"
TWP_SEED=$seed TWP_PAIRS=$pairs run --lib -- --exact --nocapture tests::agreement::interpreter_tables_and_native_code_agree
show 1 "^TWP_SEED=$seed TWP_PAIRS=$pairs$"
show 1 "^[0-9]+ programs, $pairs pairs, "

if [ $short = 0 ]; then
  echo "seeded faults of the code generator:"
  run --lib -- --exact --nocapture tests::faults::every_seeded_fault_is_caught
  show 35 "^[A-Za-z]+: (caught|MISSED)$"
  show 1 "^[0-9]+ faults, 0 missed$"
fi

echo "memory over $programs programs compiled and freed:"
TWP_PROGRAMS=$programs run --test native_memory -- --nocapture
show 10 "^[0-9]+ programs: [0-9]+ KiB resident, [0-9]+ mappings$"

echo "executable memory refused:"
run --test native_refused -- --nocapture
show 1 "^table \(no executable memory"
if [ $short = 0 ]; then
  run --test e2e_engine -- --nocapture
  show 2 "^(Filter|Kernel): "
fi
echo ok
