#!/usr/bin/env bash
# What 1,000 routes and ten guards on the way cost: CPU per tiny HTTP/1.1 request beside a configuration of one route,
# both run by the same binary as candidates of one run, round by round.
# It needs the comparison kit (bench.py): TWP_BENCH_KIT names its folder, else it is looked for beside the project.
# Fails when the median difference is above 0.5 µs. --short: one round, for information only.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
short=0; [ "${1:-}" = --short ] && short=1
. "$root/tests/accept/kit.sh"
needs_kit wrk

rounds=${TWP_ROUNDS:-15} secs=3
[ $short = 1 ] && { rounds=1; secs=1; }
dir=$(mktemp -d); trap 'rm -rf "$dir"' EXIT

python3 - "$dir" <<'PY'
import random, sys
head = """edition 1
server { workers: 1  access_log { off: true } }
listener plain { bind: [127.0.0.1:{plain}] }
upstream origin { servers: [127.0.0.1:{origin}] }
"""
guards = [
    'request.header["x-tenant"] == "acme"',
    'request.header["x-beta"].is_some',
    'request.header["user-agent"] starts_with "curl/"',
    'request.header["accept"] contains "application/xml"',
    'request.cookie["session"].is_some',
    'request.query["debug"] == "1"',
    'client.ip in [10.0.0.0/8, 192.168.0.0/16, fd00::/8]',
    'request.host ends_with ".internal"',
    'request.header["x-version"] in ["1", "2", "3"]',
    'request.header["authorization"] starts_with "Basic "',
]
words = ["users", "orders", "items", "billing", "search", "media", "auth", "report"]
rng = random.Random(9)
routes = []
for number in range(990):
    word = lambda: rng.choice(words)
    tail = rng.choice([f"/{word()}/{word()}", f"/{word()}", "/{id:int}", "/{id}/" + word(), "/{rest...}"])
    routes.append(f"route /api/v{1 + number % 3}/{word()}-{number}{tail} {{ to origin }}")
routes += [f"route /{{rest...}} when {guard} {{ respond 403 }}" for guard in guards]
open(f"{sys.argv[1]}/one.in", "w").write(head + "site * on plain { to origin }\n")
# A `{` before a name that the kit fills in is a placeholder, any other stays.
many = head + "site * on plain {\n  " + "\n  ".join(routes) + "\n  to origin\n}\n"
open(f"{sys.argv[1]}/many.in", "w").write(many)
PY

for round in $(seq "$rounds"); do
  order=one,many; [ $((round % 2)) = 0 ] && order=many,one
  python3 "$kit/bench.py" run --peers $order --cmd "one=$twp run {conf}" --conf "one=$dir/one.in" \
    --cmd "many=$twp run {conf}" --conf "many=$dir/many.in" --work h1-tiny --repeat 1 --secs $secs \
    --out "$dir/$round.json" >"$dir/$round.log" 2>&1 || { cat "$dir/$round.log"; echo "FAIL: the kit failed"; exit 1; }
done

python3 - "$dir" "$rounds" $short <<'PY'
import json, statistics, sys
dir, rounds, short = sys.argv[1], int(sys.argv[2]), sys.argv[3] == "1"
differences = []
for number in range(1, rounds + 1):
    try:
        result = json.load(open(f"{dir}/{number}.json"))["h1-tiny"]
        one, many = result["one"], result["many"]
    except (OSError, KeyError):
        print(open(f"{dir}/{number}.log").read())
        sys.exit(f"FAIL: round {number} gave no numbers")
    if one["errors"] or many["errors"]:
        sys.exit(f"FAIL: round {number} had errors")
    differences.append(many["cpu_us"] - one["cpu_us"])
    print(f"  round {number}: one route {one['cpu_us']:.2f} µs, 1,000 routes and ten guards {many['cpu_us']:.2f} µs, {differences[-1]:+.2f} µs")
median = statistics.median(differences)
print(f"  median difference {median:+.2f} µs, from {min(differences):+.2f} to {max(differences):+.2f}")
if short:
    print("ok (for information: one round)")
elif median > 0.5:
    sys.exit("FAIL: more than 0.5 µs")
else:
    print("ok")
PY
