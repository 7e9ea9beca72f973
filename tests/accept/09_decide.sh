#!/usr/bin/env bash
# Decisions: nanoseconds as ratios to a hash lookup of the same run, instructions counted by callgrind, allocations, and
# the lines of memory a decision has to read one after the other, for 1 to 100,000 routes.
# It fails when a decision allocates, when it reads more than six dependent lines, when it takes more instructions than
# the bounds below, or more nanoseconds than the targets (100 at 1,000 routes, 150 with Zipf requests at 10,000) and
# at the same time more than their ratio to the hash lookup, so that a busy machine alone is no failure.
# --short: up to 1,000 routes, and the lines at up to 10,000.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
cd "$root"
short=0; [ "${1:-}" = --short ] && short=1
bench=${CARGO_TARGET_DIR:-$root/target}/release/twp-bench-decide
out=$(mktemp -d); trap 'rm -rf "$out"' EXIT

sizes="1 100 1000 10000 100000"; [ $short = 1 ] && sizes="1 100 1000"
cargo build -q --release -p twp-bench-decide

echo "nanoseconds"
# shellcheck disable=SC2086
"$bench" $sizes | tee "$out/grid"

echo; echo "instructions per decision"
if command -v valgrind >/dev/null; then
  for routes in $sizes; do
    valgrind --tool=callgrind --collect-atstart=no --toggle-collect='*counted_decisions*' --dump-after='twp_bench_decide::counted_decisions*' \
      --callgrind-out-file="$out/callgrind.$routes" "$bench" count "$routes" >"$out/ways" 2>"$out/valgrind" ||
      { cat "$out/valgrind"; echo "FAIL: callgrind"; exit 1; }
    # One dump for each line, in their order.
    number=0
    while read -r n spread way decisions _; do
      number=$((number + 1))
      total=$(sed -n 's/^totals: //p' "$out/callgrind.$routes.$number")
      echo "  $n $spread $way $((total / decisions))" | tee -a "$out/counts"
    done <"$out/ways"
  done
else
  echo "  valgrind is not there"
  [ $short = 1 ] || { echo "FAIL: instructions were not counted"; exit 2; }
  touch "$out/counts"
fi

echo; echo "lines of memory"
include=; [ $short = 1 ] || include=--include-ignored
cargo test -q --release -p twp-compiler --lib lines -- $include --nocapture | grep -E "dependent lines|test result" | tee "$out/lines"

python3 - "$out" $short <<'PY'
import re, sys
out, short = sys.argv[1], sys.argv[2] == "1"
bad, routes, shape = [], 0, ""
# At the ratios of a quiet machine, where the hash lookup takes 53 ns at 1,000 routes and 90 ns at 10,000 with Zipf requests.
targets = {(1000, "uniform"): (100, 1.9), (1000, "zipf"): (100, 2.0), (10000, "zipf"): (150, 1.7)}
for line in open(f"{out}/grid"):
    if found := re.match(r"(\d+) routes, (.*?):", line):
        routes, shape = int(found[1]), found[2]
    elif found := re.match(r"\s+(\w+)\s+(\S+)\s+([0-9.]+) ns\s+([0-9.]+) x\s+(\d+) allocations", line):
        spread, way, time, ratio, allocations = found[1], found[2], float(found[3]), float(found[4]), int(found[5])
        if way not in ("native", "tables"):
            continue
        if allocations:
            bad.append(f"{way} allocates at {routes} routes")
        most = targets.get((routes, spread))
        if most and shape == "one site" and way == "native" and time > most[0] and ratio > most[1]:
            bad.append(f"{way} takes {time} ns, {ratio} times the hash lookup, at {routes} routes, {spread}")
bounds = {"native": {1: 700, 100: 900, 1000: 900, 10000: 900, 100000: 900}}
for line in open(f"{out}/counts"):
    routes, spread, way, count = line.split()
    if int(count) > bounds.get(way, {}).get(int(routes), int(count)):
        bad.append(f"{count} instructions by {way} at {routes} routes, {spread}")
lines = open(f"{out}/lines").read()
counted = len(re.findall(r"at most \d+ dependent", lines))
if counted != (6 if short else 10) or "test result: ok" not in lines:
    bad.append("dependent lines")
print(f"FAIL: {bad}" if bad else "ok")
sys.exit(1 if bad else 0)
PY
