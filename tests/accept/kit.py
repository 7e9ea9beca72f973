"""What the acceptance scripts share: ports, a started `twp`, measuring, verdicts. Standard library only.

Each script prints its numbers and ends with `ok` or the list of what fell short; the exit status says the same.
Every process is started in a group of its own and ended by its id.
"""

import http.client
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
TARGET = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
SHORT = "--short" in sys.argv[1:]
TWP = os.environ.get("TWP_BIN", str(TARGET / "release" / "twp"))
TWPC = os.environ.get("TWPC_BIN", str(pathlib.Path(TWP).parent / "twpc"))
LEDGER = os.environ.get("LEDGER_BIN", str(TARGET / "release" / "ledger"))

_shortfalls = []
_scratch = []
_processes = []


def need(*programs):
    """Ends the script with status 2 when a program it needs is not there."""
    missing = [p for p in programs if not shutil.which(str(p))]
    if missing:
        print(f"not there: {', '.join(map(str, missing))}; build with `cargo build --release --workspace`")
        sys.exit(2)


def check(name, condition, detail=""):
    """Notes and prints one result."""
    print(f"  {'ok  ' if condition else 'FAIL'} {name}{': ' + str(detail) if detail != '' else ''}", flush=True)
    if not condition:
        _shortfalls.append(name)
    return condition


def finish():
    """Ends everything that was started and the script."""
    clean_up()
    if _shortfalls:
        print(f"{len(_shortfalls)} fell short: " + "; ".join(_shortfalls))
        sys.exit(1)
    print("ok")
    sys.exit(0)


def run_script(main):
    """Runs a script's main function, cleans up whatever happens, and ends with its verdict."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(2))
    try:
        main()
    finally:
        clean_up()
    finish()


def clean_up():
    for process in reversed(_processes):
        stop(process)
    _processes.clear()
    for folder in _scratch:
        shutil.rmtree(folder, ignore_errors=True)
    _scratch.clear()


def scratch():
    """A fresh folder, gone at the end."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="twp-accept-"))
    _scratch.append(folder)
    return folder


def free_ports(count):
    """Ports that were free a moment ago, all different."""
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [s.getsockname()[1] for s in sockets]
    for s in sockets:
        s.close()
    return ports


def start(command, **options):
    """Starts a process in a group of its own."""
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, start_new_session=True, **options)
    _processes.append(process)
    return process


def stop(process, patience=3.0):
    """Asks a started process to end, then ends its whole group."""
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(patience)
        except subprocess.TimeoutExpired:
            pass
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()


def request(port, path="/", method="GET", host="127.0.0.1", headers=None, body=None, timeout=10):
    """One request on a connection of its own: status, fields (lower case), body."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=timeout)
    try:
        connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
        for name, value in {"host": host, "connection": "close", **(headers or {})}.items():
            connection.putheader(name, value)
        if body is not None:
            connection.putheader("content-length", str(len(body)))
        connection.endheaders(body)
        response = connection.getresponse()
        data = response.read()
        return response.status, {k.lower(): v for k, v in response.getheaders()}, data
    finally:
        connection.close()


def wait_for(what, probe, patience=15.0, step=0.02):
    """Waits until the probe gives something true; seconds it took, or None."""
    begin = time.monotonic()
    while time.monotonic() - begin < patience:
        try:
            if probe():
                return time.monotonic() - begin
        except (OSError, http.client.HTTPException):
            pass
        time.sleep(step)
    print(f"  waited {patience} s in vain for {what}", flush=True)
    return None


class Twp:
    """A running `twp run`."""

    def __init__(self, site, port, host="127.0.0.1"):
        self.site = pathlib.Path(site)
        self.folder = scratch()
        self.control = self.folder / "control"
        self.out = open(self.folder / "stdout", "wb")
        self.err = open(self.folder / "stderr", "wb")
        self.process = start([TWP, "run", str(site), "--control", str(self.control)], stdout=self.out, stderr=self.err)
        if wait_for("twp", lambda: request(port, "/ready-probe", host=host, timeout=2)[0]) is None:
            print(self.said())
            clean_up()
            sys.exit(1)

    def said(self):
        """What it printed on standard error."""
        return (self.folder / "stderr").read_text(errors="replace")

    def memory(self):
        """Resident memory of the whole process tree in bytes, shared pages counted once (PSS)."""
        return sum(pss(pid) for pid in group_of(self.process.pid))


def group_of(leader):
    """The processes of a group."""
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rsplit(")", 1)[1].split()
            except OSError:
                continue
            if int(fields[2]) == leader or int(fields[3]) == leader:
                found.append(int(entry.name))
    return found


def pss(pid):
    try:
        for line in pathlib.Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) * 1024
    except OSError:
        pass
    return 0
