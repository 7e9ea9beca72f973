#!/usr/bin/env python3
"""Large configurations: 1,000, 10,000 and 100,000 routes.

`twpc check` is measured in CPU seconds and peak memory, and how its time grows. Then `twp run` serves each
configuration, one answer in the file is changed three times, and the time until the new answer comes is measured: below
0.5 s with 1,000 routes, below 2 s with 100,000. Memory of the serving process and the size of its code are told, and the
time of each stage where `twp-bench-stages` is there. --short: 1,000 routes only, with bounds for a busy machine."""

import math
import os
import pathlib
import re
import statistics
import subprocess
import time

from kit import SHORT, TARGET, TWP, TWPC, Twp, check, free_ports, group_of, need, pss, request, run_script, scratch, stop, wait_for
from routes import configuration

SIZES = (1_000,) if SHORT else (1_000, 10_000, 100_000)
CHANGES = 1 if SHORT else 3
SERVED_WITHIN = {1_000: 3.0 if SHORT else 0.5, 10_000: None, 100_000: 2.0}
CHECK_CPU, CHECK_BYTES, GROWTH = 5.0, 1 << 30, 1.1
QUIET_MS = 100


def measured_check(path):
    """CPU seconds and peak resident bytes of one `twpc check`."""
    process = subprocess.Popen([TWPC, "check", str(path)], stderr=subprocess.PIPE)
    said = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        print(said.decode(errors="replace"))
    check(f"twpc check {path.name} finds nothing", process.returncode == 0)
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


def check_all(folder):
    costs = {}
    for size in SIZES:
        path = folder / f"{size}.twp"
        path.write_text(configuration(size, 1, "0"))
        # The best of a few small runs: their times are near the resolution of the clock.
        runs = [measured_check(path) for _ in range(3 if size < 100_000 else 1)]
        cpu, memory = min(cpu for cpu, _ in runs), max(memory for _, memory in runs)
        costs[size] = cpu
        print(f"  {size} routes, {path.stat().st_size / 1e6:.1f} MB: {cpu:.3f} s CPU, {memory / 2**20:.0f} MiB at the peak")
        check(f"{size} routes are checked within {CHECK_CPU:.0f} s CPU", cpu < CHECK_CPU, f"{cpu:.3f} s")
        check(f"{size} routes are checked within 1 GiB", memory < CHECK_BYTES, f"{memory / 2**20:.0f} MiB")
        stages(path)
    for small, large in zip(SIZES, SIZES[1:]):
        print(f"  growth from {small} to {large} routes: exponent {exponent(costs, small, large):.2f}")
    if len(SIZES) > 1:
        # From the middle on: below it the start of the process and the code, which has a fixed budget, weigh most.
        grown = exponent(costs, SIZES[1], SIZES[2])
        check(f"the time grows with an exponent of at most {GROWTH}", grown <= GROWTH, f"{grown:.2f}")


def exponent(costs, small, large):
    return math.log(max(costs[large], 1e-3) / max(costs[small], 1e-3)) / math.log(large / small)


def stages(path):
    program = TARGET / "release" / "twp-bench-stages"
    if program.exists():
        for line in subprocess.run([program, path], stdout=subprocess.PIPE, text=True).stdout.splitlines():
            print(f"    {line}")


def serve(size, folder):
    (port,) = free_ports(1)
    path = folder / f"serve-{size}.twp"
    path.write_text(configuration(size, port, "0"))
    twp = Twp(path, port, host="marker.test")
    times, worked = [], []
    for n in range(1, CHANGES + 1):
        settle(twp)
        new = folder / "new"
        new.write_text(configuration(size, port, str(n)))
        busy = cpu_seconds(twp)
        os.replace(new, path)
        served = lambda: request(port, host="marker.test", timeout=5)[2] == str(n).encode()
        times.append(wait_for(f"change {n}", served, patience=60, step=0.005))
        worked.append(cpu_seconds(twp) - busy)
    told = " ".join("never" if taken is None else f"{taken * 1000:.0f}" for taken in times)
    print(f"  {size} routes, change to served: {told} ms, of which {QUIET_MS} ms wait for quiet; "
          f"{statistics.median(worked) * 1000:.0f} ms of CPU time")
    bound = SERVED_WITHIN[size]
    known = [taken for taken in times if taken is not None]
    check(f"{size} routes: every change is served", len(known) == CHANGES)
    if bound is not None and known:
        median = statistics.median(known)
        check(f"{size} routes: a change is served within {bound} s", median < bound, f"median {median * 1000:.0f} ms")
    settle(twp)
    largest = max((pss(pid) for pid in group_of(twp.process.pid) if pid != twp.process.pid), default=0)
    print(f"  {size} routes: generation {largest / 2**20:.0f} MiB, supervisor {pss(twp.process.pid) / 2**20:.0f} MiB; {engine(twp)}")
    stop(twp.process)


def cpu_seconds(twp):
    """What the supervisor and its generations have used so far; on a busy machine it says more than the clock."""
    ticks = 0
    for pid in group_of(twp.process.pid):
        try:
            fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
            ticks += int(fields[11]) + int(fields[12])
        except OSError:
            pass
    return ticks / os.sysconf("SC_CLK_TCK")


def settle(twp):
    """Waits until only one generation is left, so that the end of the last change is not measured with the next."""
    wait_for("the old generation to end", lambda: len(group_of(twp.process.pid)) <= 2, patience=30)
    # The new one frees what loading left behind; after that its memory no longer changes.
    before = None
    for _ in range(100):
        time.sleep(0.3)
        now = twp.memory()
        if now == before:
            break
        before = now


def engine(twp):
    said = subprocess.run([TWP, "status", str(twp.site), "--control", str(twp.control)], stdout=subprocess.PIPE, text=True).stdout
    found = re.search(r"native \([^)]*\)|\btable\b", said)
    return f"engine {found.group(0)}" if found else "engine not told"


def main():
    need(TWP, TWPC)
    folder = scratch()
    check_all(folder)
    for size in SIZES:
        serve(size, folder)


run_script(main)
