#!/usr/bin/env python3
"""Eight mistakes of different kinds in one file give eight diagnostics in one run, each at its place.

The mistakes are marked in the text below: `«…»` stands around what the diagnostic must point at, and the code after
the line says which one is meant. The marks are removed before `twpc` sees the file."""

import json
import subprocess

from kit import TWPC, check, need, run_script, scratch

MARKED = """edition 1

upstream app {
  servers: [127.0.0.1:3000]
  timeout { response: «30» }                                            //= E0301 a number without a unit
}
rule internal = client.ip in [«10.0.0.1/8»]                             //= E0306 bits beyond the prefix
listener web { plain: [127.0.0.1:8080] }

site one.test on web {
  route GET /a { to «ap» }                                              //= E0201 unknown upstream
  route GET /b { to app«;» }                                            //= E0103 a semicolon
  route GET /users/{id:int} {
    rewrite path /v2/«{name}»                                           //= E0314 a capture nobody binds
    to app
  }
  route GET /env when «request.header["x-env"]» != "prod" { to app }    //= E0304 not equal on an option
}
site two.test on web {
  «rout» GET /a { to app }                                              //= E0110 a misspelt statement
}
site three.test on web {
  route GET /header {
    set request.header["«X Forwarded For»"] = "1"                       //= E0308 no header name
    to app
  }
  fallback { respond 404 }
}
"""


def unmark():
    """The text without marks, and (code, line, column) of each mark."""
    lines, expected = [], []
    for number, line in enumerate(MARKED.split("\n"), 1):
        line, _, note = line.partition("//=")
        line = line.rstrip()
        if note:
            expected.append((note.split()[0], number, line.index("«") + 1))
        lines.append(line.replace("«", "").replace("»", ""))
    return "\n".join(lines), expected


def places(output):
    """(code, line, column) of every error, whether the output is one JSON array or an object a line."""
    text = output.strip()
    try:
        found = json.loads(text)
        found = found if isinstance(found, list) else found.get("diagnostics", [found])
    except json.JSONDecodeError:
        found = [json.loads(line) for line in text.splitlines() if line.strip()]
    result = []
    for diagnostic in found:
        if diagnostic.get("level") == "error":
            place = next(d for d in (diagnostic.get("primary"), diagnostic) if d and "line" in d)
            result.append((diagnostic["code"], place["line"], place["column"]))
    return result


def main():
    need(TWPC)
    text, expected = unmark()
    file = scratch() / "mistakes.twp"
    file.write_text(text)
    run = subprocess.run([TWPC, "check", "--message-format", "json", str(file)], capture_output=True, text=True, check=False)
    check("exit status 1", run.returncode == 1, run.returncode)
    found = places(run.stdout or run.stderr)
    print(f"  expected {len(expected)} diagnostics, found {len(found)}")
    for item in expected:
        check(f"{item[0]} at {item[1]}:{item[2]}", item in found)
    extra = [item for item in found if item not in expected]
    check("nothing else", not extra, extra)


run_script(main)
