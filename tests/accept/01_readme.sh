#!/usr/bin/env bash
# The commands of the README's first section work as written. They are read from its code blocks: the one that serves
# a .twp file is started and waited for, each curl must get an answer below 400, any other must end with status 0.
# --short leaves out the others, which `.ci/run` has run by then.
set -euo pipefail
cd "$(dirname "$0")/../.."
short=0; [ "${1:-}" = --short ] && short=1

mapfile -t commands < <(awk '
  /^## / { section++ }
  section == 1 && /^```(console|sh|bash)$/ { inside = 1; next }
  /^```/ { inside = 0 }
  section == 1 && inside' README.md | sed 's/^\$ //' | grep -vE '^\s*(#|$)')
[ "${#commands[@]}" -ge 2 ] || { echo "FAIL: the README's first section shows ${#commands[@]} commands"; exit 1; }

server=
log=$(mktemp)
cleanup() {
  if [ -n "$server" ]; then
    kill -TERM -- "-$server" 2>/dev/null || true
    for _ in $(seq 30); do kill -0 -- "-$server" 2>/dev/null || break; sleep 0.1; done
    kill -KILL -- "-$server" 2>/dev/null || true
  fi
  rm -f "$log"
}
trap cleanup EXIT

# Starts the server in a group of its own and waits until it answers anything.
serve() {
  local file=$1 command=$2 port
  port=$(grep -oE '127\.0\.0\.1:[0-9]+' "$file" | grep -v '127.0.0.1:3000' | tail -1 | cut -d: -f2)
  setsid bash -c "exec $command" >"$log" 2>&1 </dev/null &
  server=$!
  for _ in $(seq 1500); do
    if curl -s -o /dev/null -m 2 "http://127.0.0.1:$port/"; then
      echo "  answers on 127.0.0.1:$port"
      return
    fi
    kill -0 "$server" 2>/dev/null || { echo "FAIL: it ended"; cat "$log"; exit 1; }
    sleep 0.2
  done
  echo "FAIL: no answer in five minutes"
  cat "$log"
  exit 1
}

asked=0
for command in "${commands[@]}"; do
  echo "\$ $command"
  if [[ $command =~ run.*[[:space:]]([^[:space:]]+\.twp) ]]; then
    serve "${BASH_REMATCH[1]}" "$command"
  elif [[ $command == curl* ]]; then
    answer=$(bash -c "$command -fsS") || { echo "FAIL: $command"; exit 1; }
    echo "  $answer" | head -c 300; echo
    asked=$((asked + 1))
  elif [ $short = 0 ]; then
    bash -c "$command" </dev/null || { echo "FAIL: $command"; exit 1; }
  else
    echo "  left out by --short"
  fi
done
[ -n "$server" ] && [ $asked -ge 1 ] || { echo "FAIL: the first section neither serves nor asks"; exit 1; }
echo ok
