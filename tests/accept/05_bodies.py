#!/usr/bin/env python3
"""Bodies arrive whole and cost no memory.

In front of nginx: downloads of 64 KiB and 100 MB with equal SHA-256. In front of a Python origin: an upload of 50 MB
in chunks whose hash the origin reports. The memory of the proxy's process tree, sampled all the while, must grow by
less than 16 MiB at its peak. --short: 20 MB and 10 MB."""

import hashlib
import http.client
import http.server
import os
import shutil
import socketserver
import threading
import time

from kit import SHORT, TWP, Twp, check, free_ports, need, request, run_script, scratch, start, wait_for

DOWNLOAD, UPLOAD = (20_000_000, 10_000_000) if SHORT else (100_000_000, 50_000_000)
GROWTH_MAX = 16 * 1024 * 1024
NGINX = shutil.which("nginx") or "/usr/sbin/nginx"


class Hasher(http.server.BaseHTTPRequestHandler):
    """An origin that answers an upload with its length and hash."""

    protocol_version = "HTTP/1.1"

    def do_POST(self):
        digest, length = hashlib.sha256(), 0
        for piece in self.pieces():
            digest.update(piece)
            length += len(piece)
        body = f"{length} {digest.hexdigest()}".encode()
        self.send_response(200)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def pieces(self):
        if "chunked" not in self.headers.get("transfer-encoding", ""):
            left = int(self.headers.get("content-length", "0"))
            while left:
                piece = self.rfile.read(min(left, 65536))
                left -= len(piece)
                yield piece
            return
        while size := int(self.rfile.readline().split(b";")[0], 16):
            yield self.rfile.read(size)
            self.rfile.readline()
        while self.rfile.readline().strip():
            pass

    def log_message(self, *_):
        pass


class Threads(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True


def start_nginx(folder, port):
    (folder / "www").mkdir()
    files = {"small": os.urandom(64 * 1024), "large": os.urandom(1_000_000) * (DOWNLOAD // 1_000_000)}
    for name, data in files.items():
        (folder / "www" / name).write_bytes(data)
    folder.chmod(0o755)
    conf = folder / "nginx.conf"
    user = "user root;" if os.getuid() == 0 else ""
    conf.write_text(f"""daemon off; {user} worker_processes 1; pid {folder}/pid; error_log {folder}/error;
events {{ worker_connections 256; }}
http {{ access_log off; client_body_temp_path {folder}/t1; proxy_temp_path {folder}/t2; fastcgi_temp_path {folder}/t3;
  uwsgi_temp_path {folder}/t4; scgi_temp_path {folder}/t5;
  server {{ listen 127.0.0.1:{port}; root {folder}/www; }} }}
""")
    start([NGINX, "-c", str(conf), "-p", str(folder)])
    if wait_for("nginx", lambda: request(port, "/small")[0] == 200) is None:
        raise SystemExit("nginx does not start")
    return {name: hashlib.sha256(data).hexdigest() for name, data in files.items()}


class Memory(threading.Thread):
    """Samples the memory of a process tree, fifty times a second and once at the end."""

    def __init__(self, twp):
        super().__init__(daemon=True)
        self.twp, self.first, self.peak, self.ended = twp, twp.memory(), 0, threading.Event()

    def run(self):
        ended = False
        while not ended:
            ended = self.ended.wait(0.02)
            self.peak = max(self.peak, self.twp.memory())


def download(port, path):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request("GET", path, headers={"host": "files.test"})
    response = connection.getresponse()
    digest, length = hashlib.sha256(), 0
    while piece := response.read(262_144):
        digest.update(piece)
        length += len(piece)
    connection.close()
    return response.status, length, digest.hexdigest()


def upload(port):
    piece = os.urandom(100_000)
    pieces = [piece] * (UPLOAD // len(piece))
    digest = hashlib.sha256()
    for p in pieces:
        digest.update(p)
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request("POST", "/upload", body=iter(pieces), encode_chunked=True,
                       headers={"host": "hash.test", "transfer-encoding": "chunked"})
    answer = connection.getresponse().read().decode()
    connection.close()
    return answer, f"{UPLOAD} {digest.hexdigest()}"


def main():
    need(TWP, NGINX)
    port, nginx_port, python_port = free_ports(3)
    hashes = start_nginx(scratch(), nginx_port)
    server = Threads(("127.0.0.1", python_port), Hasher)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    site = scratch() / "site.twp"
    site.write_text(f"""edition 1
listener web {{ plain: [127.0.0.1:{port}] }}
site files.test on web {{ to 127.0.0.1:{nginx_port} }}
site hash.test on web {{ to 127.0.0.1:{python_port} }}
""")
    twp = Twp(site, port)
    for path in ("/small", "/small"):
        download(port, path)
    memory = Memory(twp)
    memory.start()
    for name, size in (("small", 64 * 1024), ("large", DOWNLOAD)):
        begin = time.monotonic()
        status, length, digest = download(port, f"/{name}")
        took = time.monotonic() - begin
        check(f"{size} bytes down", (status, length, digest) == (200, size, hashes[name]), f"{size / took / 1e6:.0f} MB/s")
    begin = time.monotonic()
    answer, expected = upload(port)
    check(f"{UPLOAD} bytes up in chunks", answer == expected, f"{UPLOAD / (time.monotonic() - begin) / 1e6:.0f} MB/s")
    memory.ended.set()
    memory.join()
    growth = max(memory.peak, memory.first) - memory.first
    print(f"  memory of the tree: {memory.first / 2**20:.1f} MiB before, {memory.peak / 2**20:.1f} MiB at the peak")
    check("samples were taken", memory.first > 0 and memory.peak > 0)
    check(f"memory grows by less than {GROWTH_MAX // 2**20} MiB", growth < GROWTH_MAX, f"{growth / 2**20:.1f} MiB")


run_script(main)
