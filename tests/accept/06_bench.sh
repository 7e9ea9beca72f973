#!/usr/bin/env bash
# CPU per request against nginx and HAProxy: five interleaved pairs each of tiny and of 64 KiB responses.
# It needs the comparison kit (bench.py): TWP_BENCH_KIT names its folder, else it is looked for beside the project.
# Fails when the median CPU ratio to nginx is above 1.0. --short: one pair, for information only; without the kit it
# says so and ends well.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
short=0; [ "${1:-}" = --short ] && short=1
. "$root/tests/accept/kit.sh"
needs_kit wrk nginx haproxy

rounds=5 secs=3 work=h1-tiny,h1-64k
[ $short = 1 ] && { rounds=1; secs=1; work=h1-tiny; }
out=$(mktemp); trap 'rm -f "$out"' EXIT
python3 "$kit/bench.py" ab --peers nginx,haproxy --candidate twp --cmd "twp=$twp run {conf}" --conf "twp=$root/tests/accept/bench.twp.in" \
  --work $work --repeat $rounds --secs $secs | tee "$out"

python3 - "$out" $short <<'PY'
import re, sys
short, worst, seen = sys.argv[2] == "1", {}, 0
for line in open(sys.argv[1]):
    found = re.match(r"(\S+)\s+twp/(\S+): CPU ([0-9.]+) \(pairs ([0-9. ]+)\)", line)
    if found:
        seen += 1
        work, peer, median, pairs = found[1], found[2], float(found[3]), [float(x) for x in found[4].split()]
        print(f"  {work} against {peer}: median {median:.3f}, pairs {min(pairs):.3f} to {max(pairs):.3f}")
        if peer == "nginx" and median > 1.0:
            worst[work] = median
expected = 2 if short else 4
if seen < expected:
    sys.exit(f"FAIL: {seen} of {expected} comparisons gave numbers")
if short:
    print("ok (for information: one round)")
elif worst:
    sys.exit(f"FAIL: more CPU than nginx: {worst}")
else:
    print("ok")
PY
