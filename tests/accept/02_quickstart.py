#!/usr/bin/env python3
"""examples/01-quickstart.twp as a newcomer meets it, asked with curl: a static answer, a proxied answer of the
built-in echo with rewritten path and fields, a 404, a 405 with Allow."""

import json
import subprocess

from kit import ROOT, TWP, Twp, check, need, run_script

PORT = 8080


def curl(*args):
    """Status, fields, body as curl sees them."""
    out = subprocess.run(["curl", "-s", "-i", "-m", "5", *args], capture_output=True, check=True).stdout.decode()
    head, _, body = out.partition("\r\n\r\n")
    lines = head.split("\r\n")
    fields = {k.lower(): v.strip() for k, v in (line.split(":", 1) for line in lines[1:])}
    return int(lines[0].split()[1]), fields, body


def main():
    need(TWP, "curl")
    Twp(ROOT / "examples" / "01-quickstart.twp", PORT)
    base = f"http://127.0.0.1:{PORT}"

    status, _, body = curl(f"{base}/hello")
    check("static answer", (status, body.strip()) == (200, "hello from twp"), f"{status} {body!r}")

    status, fields, body = curl(f"{base}/users/42?verbose=1", "-H", "x-secret: 1")
    check("proxied answer", status == 200, status)
    seen = json.loads(body)
    print("  the echo received " + json.dumps(seen))
    check("the path is rewritten, the query kept", (seen["path"], seen["query"]) == ("/v2/users/42", "verbose=1"))
    check("a request field is set", seen["headers"].get("x-user-page") == "yes")
    check("a request field is removed", "x-secret" not in seen["headers"])
    check("the forwarding field is ours", seen["headers"].get("x-forwarded-for") == "127.0.0.1")
    check("a response field is set", fields.get("x-served-by") == "twp", fields.get("x-served-by"))

    for path in ("/nothing-here", "/users/ada"):
        status, fields, _ = curl(f"{base}{path}")
        check(f"404 for {path}, with the site's field", status == 404 and fields.get("x-served-by") == "twp", status)

    for path, allow in (("/hello", {"GET", "HEAD"}), ("/users/42", {"GET", "HEAD", "POST"})):
        status, fields, _ = curl("-X", "DELETE", f"{base}{path}")
        said = fields.get("allow", "")
        check(f"405 with Allow for {path}", status == 405 and {m.strip() for m in said.split(",")} == allow, f"{status} {said}")

    status, _, body = curl("-I", f"{base}/hello")
    check("HEAD where GET is allowed, without a body", status == 200 and body == "", status)


run_script(main)
