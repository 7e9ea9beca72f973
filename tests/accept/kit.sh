# Sourced by the scripts that measure with the comparison kit, after `root` and `short` are set. `needs_kit TOOL…` finds the
# kit, twp and the tools, or ends the script: well with --short, which is for information, and with 2 otherwise.
# TWP_BENCH_KIT names the kit's folder (else it is looked for beside the project), TWP_BENCH_PEERS where it put tools.
kit=${TWP_BENCH_KIT:-$root/../shared/bench}
twp=${TWP_BIN:-${CARGO_TARGET_DIR:-$root/target}/release/twp}
peers=${TWP_BENCH_PEERS:-/opt/peers}

# Ends the script because something it needs is not there.
lacks() {
  echo "$1"
  [ "$short" = 1 ] && { echo "skipped"; exit 0; }
  exit 2
}

needs_kit() {
  local tool upper
  [ -f "$kit/bench.py" ] || lacks "the comparison kit is not there ($kit); set TWP_BENCH_KIT"
  [ -x "$twp" ] || { echo "not built: $twp"; exit 2; }
  if [ -f "$peers/env.sh" ]; then . "$peers/env.sh"; fi
  for tool in "$@"; do
    upper=BENCH_$(echo "$tool" | tr a-z A-Z)
    [ -n "${!upper:-}" ] || command -v "$tool" >/dev/null || lacks "$tool is not there; run $kit/setup.sh"
  done
}
