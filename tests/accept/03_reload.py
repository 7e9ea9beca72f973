#!/usr/bin/env python3
"""Changes of the configuration lose no request.

While the ledger opens 300 connections a second and keeps 50 more (GET and POST), the file changes 20 times in 60
seconds: written in place, replaced by rename, and by swapping a symlink, in turn. 0 requests may fail and each change
must be served within 2 seconds. Then the file is broken: diagnostics come, the service goes on as before; then it
is mended: that is served. --short: 4 changes in 8 seconds."""

import json
import os
import subprocess
import time

from kit import LEDGER, SHORT, TWP, Twp, check, free_ports, need, request, run_script, scratch, start, wait_for

CHANGES, SECONDS, RATE, KEPT = (4, 10, 300, 50) if SHORT else (20, 62, 300, 50)
SERVED_WITHIN = 2.0


def text(port, origin, marker):
    return f"""edition 1
server {{ access_log {{ off: true }} }}
listener web {{ plain: [127.0.0.1:{port}] }}
upstream app {{ servers: [127.0.0.1:{origin}] }}
site ledger.test on web {{ to app }}
site marker.test on web {{ respond 200 body "{marker}" }}
"""


class File:
    """A configuration behind a symlink, changed in three ways."""

    def __init__(self, folder):
        self.folder = folder
        self.path = folder / "site.twp"
        self.count = 0

    def change(self, content):
        how = ("in place", "rename", "symlink")[self.count % 3]
        self.count += 1
        if how == "in place":
            self.path.write_text(content)
        elif how == "rename":
            new = self.folder / f"new-{self.count}"
            new.write_text(content)
            os.replace(new, self.path)
        else:
            # As Kubernetes does it: a new folder, and a link swapped by rename.
            inner = self.folder / f"data-{self.count}"
            inner.mkdir()
            (inner / "site.twp").write_text(content)
            link = self.folder / f"link-{self.count}"
            link.symlink_to(inner / "site.twp")
            os.replace(link, self.path)
        return how


def main():
    need(TWP, LEDGER)
    port, origin = free_ports(2)
    file = File(scratch())
    file.change(text(port, origin, "marker-0"))
    twp = Twp(file.path, port, host="marker.test")

    def served(marker):
        return request(port, host="marker.test", timeout=5)[2].decode() == marker

    ledger = start([LEDGER, "--target", f"127.0.0.1:{port}", "--origin", f"127.0.0.1:{origin}", "--secs", str(SECONDS),
                    "--rate", str(RATE), "--kept", str(KEPT)], stdout=subprocess.PIPE)
    time.sleep(1)
    begin = time.monotonic()
    times = []
    for n in range(1, CHANGES + 1):
        how = file.change(text(port, origin, f"marker-{n}"))
        took = wait_for(f"change {n} ({how})", lambda: served(f"marker-{n}"), patience=10, step=0.01)
        times.append(took)
        due = begin + n * (SECONDS - 3) / CHANGES
        time.sleep(max(0.0, due - time.monotonic()))
    report = json.loads(ledger.communicate(timeout=SECONDS + 60)[0])
    print("  " + json.dumps(report))
    known = [t for t in times if t is not None]
    print("  change to served, ms: " + " ".join("never" if t is None else f"{t * 1000:.0f}" for t in times))
    check("requests were made", report["sent"] > SECONDS * RATE * 0.9, report["sent"])
    check("0 requests failed", report["failed"] == 0, report["failures"])
    check("no POST reached the origin twice", "duplicate_post" not in report["failures"])
    check(f"all {CHANGES} changes served", len(known) == CHANGES, len(known))
    check(f"each within {SERVED_WITHIN:.0f} s", len(known) == CHANGES and max(known) < SERVED_WITHIN,
          f"worst {max(known, default=0) * 1000:.0f} ms")

    before = len(twp.said())
    good = text(port, origin, "mended")
    file.change(good.replace("to app", "to ap").replace("plain:", "plane:"))
    told = wait_for("diagnostics", lambda: "ap" in twp.said()[before:] and "error" in twp.said()[before:], patience=5)
    check("a broken file gets diagnostics", told is not None)
    answers = {request(port, host="marker.test")[2].decode() for _ in range(100)}
    check("and changes nothing", answers == {f"marker-{CHANGES}"}, answers)
    file.change(good)
    took = wait_for("the mended file", lambda: served("mended"), patience=10, step=0.01)
    check("the mended file is served", took is not None and took < SERVED_WITHIN, f"{(took or 0) * 1000:.0f} ms")


run_script(main)
