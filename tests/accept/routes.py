"""Configurations with many routes, as gateways have them: the same text for the same numbers.

Sites of 100 routes, in groups below three prefixes; literals, typed and plain captures, rests; one route in ten has a
condition, one in four names methods, one in ten changes a header; an upstream for each 100 routes.
"""

import random

WORDS = ("users orders items billing search media auth report events stock price cart review tenant export login").split()
PREFIXES = ("/api/v1", "/api/v2", "/api/v3")
GUARDS = (" when office", " when mobile and not office", ' when request.query["beta"] == "1"')
PER_SITE = 100


def configuration(routes, port, marker):
    """The text for `routes` routes; `marker.test/` answers with `marker`."""
    rng = random.Random(routes)
    upstreams = max(1, routes // 100)
    out = [
        "edition 1",
        "server { access_log { off: true } }",
        f"listener web {{ plain: [127.0.0.1:{port}] }}",
        "const office_nets = [10.0.0.0/8, 192.168.0.0/16]",
        "rule office = client.ip in office_nets",
        'rule mobile = request.header["user-agent"] contains "Mobile"',
    ]
    for n in range(upstreams):
        out.append(f"upstream app{n} {{ servers: [127.0.0.1:{9000 + n % 1000}, 127.0.0.2:{9000 + n % 1000}] }}")
    out.append(f'site marker.test on web {{ respond 200 body "{marker}" }}')
    for site in range((routes + PER_SITE - 1) // PER_SITE):
        numbers = range(site * PER_SITE, min(routes, (site + 1) * PER_SITE))
        out.append(f"\nsite h{site}.example.test on web {{")
        out.extend(_site(rng, numbers, upstreams))
        out.append('    fallback { respond 404 body "nothing here" }\n}')
    return "\n".join(out) + "\n"


def _site(rng, numbers, upstreams):
    groups = {prefix: [] for prefix in PREFIXES}
    for number in numbers:
        groups[rng.choice(PREFIXES)].append(_route(rng, number, upstreams))
    for prefix, routes in groups.items():
        if routes:
            yield f"    group {prefix} {{"
            yield from routes
            yield "    }"


def _route(rng, number, upstreams):
    def word():
        return rng.choice(WORDS)

    tail = rng.choice(
        [f"{word()}/{word()}"] * 4 + [word()] * 2 + ["{id:int}"] * 2 + [f"{{id}}/{word()}", "{rest...}"]
    )
    method = rng.choice(["", "", "", "", "", "", "GET ", "GET|POST "])
    guard = rng.choice(GUARDS) if rng.randrange(10) == 0 else ""
    change = f'\n            set request.header["x-route"] = "r{number}"' if rng.randrange(10) == 0 else ""
    return (
        f"        route {method}/{word()}-{number}/{tail} as r{number}{guard} {{{change}\n"
        f"            to app{number * 7919 % upstreams}\n        }}"
    )
