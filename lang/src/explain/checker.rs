//! Pages of the codes that checking reports.

/// Code and page, in the order of the codes.
pub(super) const PAGES: &[(&str, &str)] = &[
    (
        "E0001",
        r#"not in this version yet

The language knows this, this version does not serve it. The file is refused as a whole, because leaving a
part out would change what the rest means.

    site a.test { tls: acme(email: "ops@a.test")  to app }

Remove it, or do its work in another place until a later version serves it.
"#,
    ),
    (
        "E0002",
        r"not served by this version

The language has this, and the file is sound: `twpc check` accepts it, tests of it run. This version of `twp` cannot
do it yet, and doing without would change what the rest means. So `twp run` refuses the file; after a change of a file
that runs, what ran before goes on. `twpc check --for-run` says the same without running anything.

    upstream app { servers: [10.0.0.1:80, 10.0.0.2:80]  balance: least_conn }

Remove it, or do its work in another place until a later version serves it.
",
    ),
    (
        "E0201",
        r"unknown upstream or listener

A name behind `to` is that of an upstream, a name behind `on` that of a listener. Both are declared in this file,
before or after their use.

    upstream app { servers: [127.0.0.1:3000] }
    site a.test { to ap }

Correct the name or declare it.
",
    ),
    (
        "E0202",
        r"unknown name

No constant, rule, parameter or capture of this name is in scope. Captures belong to the site, group or route that
binds them; a rule sees only its parameters and top-level names.

    route / when ofice { respond 200 }

Correct the name, declare it, or put text between quotes.
",
    ),
    (
        "E0203",
        r#"a name is defined twice

twp has one namespace and no shadowing: a name means the same in the whole place that sees it. That counts for
top-level names, parameters and captures, and apart from them for names of routes in one site.

    const tier = "gold"
    site a.test { route /{tier} { respond 200 } }

Choose another name for one of the two.
"#,
    ),
    (
        "E0204",
        r#"a name of another kind

The name exists and stands for something else than is wanted here: an upstream where a value is wanted, a constant
that is called, a listener behind `to`.

    set request.header["x"] = app

Use a name of the right kind; `request` needs a field, as in `request.path`.
"#,
    ),
    (
        "E0205",
        r"two `server` blocks

Settings of the process stand in one place.

    server { workers: 2 }
    server { drain: 5s }

Put all settings into one block.
",
    ),
    (
        "E0210",
        r"unknown setting

The block does not have a setting of this name.

    server { worker: 2 }

Correct the name. The reference lists the settings of each block.
",
    ),
    (
        "E0211",
        r"unknown field

A value or group of fields does not have a field of this name.

    route / when request.metod == GET { respond 200 }

Correct the name. Options have `.is_some` and `.is_none`.
",
    ),
    (
        "E0212",
        r"unknown type

The written type does not exist, or its angle brackets are wrong. Option, List, Set and Range take one plain type,
Range one of numbers; the others take none.

    const nets: Sett<Cidr> = [10.0.0.0/8]

Correct the type, or leave it out: constants have the type of their value.
",
    ),
    (
        "E0213",
        r"a setting stands twice

Each setting holds one value, so a second one could only surprise.

    site a.test { max_body: 1MiB  max_body: 2MiB  to app }

Remove one of the two.
",
    ),
    (
        "E0214",
        r"something is missing

An upstream needs `servers` or `builtin`, a listener needs `plain` or `bind` with at least one endpoint.

    upstream app { keepalive: 5 }

Add the setting.
",
    ),
    (
        "E0215",
        r"a number out of its bounds

The value has the right type and lies outside of what can be meant: no workers, a port above 65535, a time limit
of nothing or of more than a day, a range that ends before it begins.

    server { workers: 0 }

Write a value within the bounds that the message names.
",
    ),
    (
        "E0216",
        r"an endpoint that cannot be used here

Listeners take addresses of this machine, each once; servers take a host with a port.

    upstream app { servers: [:80] }

Write `:80` or an address for a listener, `127.0.0.1:80` or a name with a port for a server.
",
    ),
    (
        "E0217",
        r"settings that do not go together

A block was written as one value or one value as a block, or two settings exclude each other.

    server { access_log: off }

Write `access_log { off: true }`.
",
    ),
    (
        "E0218",
        r#"a wrong attribute

There is one attribute, `@allow(lint, "reason")`; it needs the name of a lint and a reason.

    @allow(unreachable_route)
    route /a { to app }

Write `@allow(unreachable_route, "kept until the summer")`.
"#,
    ),
    (
        "E0219",
        r"a setting of another block

The setting exists and belongs elsewhere; what stands around it does not take it.

    site a.test { balance: least_conn  to app }

Move it to the block that is named, here to `upstream app { … }`.
",
    ),
    (
        "E0251",
        r"recursion

A rule, constant, policy or `routes` uses itself, directly or through others. Every decision in twp ends in a bounded
number of steps, so nothing may.

    rule a = b
    rule b = a

Write it without the circle.
",
    ),
    (
        "E0252",
        r"nested too deeply

Expressions and blocks nest to a bound, so that no file can exhaust the compiler.

    route /a { when a { when b { … } } }

Give inner parts a name with `rule` or `const`.
",
    ),
    (
        "E0301",
        r#"a value of another type

Each position wants one type, and values are not converted on the way. What is lossless happens by itself: literal
text takes the type of its position, `[…]` becomes a set, an address becomes the network of one address.

    timeout { response: 30 }

Write a value of the type: `30s`. Text can hold most values: `"${client.ip}"`. For an Option say what holds when it
is absent: `request.header["x"] ?? ""`.
"#,
    ),
    (
        "E0302",
        r"an operator that does not work on this

`<` and its like compare numbers, `matches` and `starts_with` work on text, `==` compares with one value.

    route / when request.method == [GET, HEAD] { to app }

Use another operator: `request.method in [GET, HEAD]`.
",
    ),
    (
        "E0303",
        r#"`${…}` cannot show this

Text can hold texts, numbers, addresses, methods and the like. A Bool, a list or a pattern has no text of its own.

    respond 200 body "${client.ip == 10.0.0.1}"

Choose the text: `${if client.ip == 10.0.0.1 then "yes" else "no"}`.
"#,
    ),
    (
        "E0304",
        r#"`!=` on what may be absent

A comparison with an Option means "present and …". `!=` and `not in` would leave open whether absence counts as
different, and both readings have opened doors in other proxies.

    route / when request.header["x-env"] != "prod" { to staging }

Write `not (request.header["x-env"] == "prod")` to include absence, or
`request.header["x-env"].is_some and not (request.header["x-env"] == "prod")` to exclude it.
"#,
    ),
    (
        "E0305",
        r#"this is never absent

`??`, `.is_some` and `.is_none` are for values that may be absent.

    set request.header["x"] = "${request.path ?? "/"}"

Remove it: the value is always there.
"#,
    ),
    (
        "E0306",
        r"bits beyond the prefix

A network in CIDR notation has only zeros behind its prefix. Other bits mean that either the prefix or the address
is not what was meant.

    rule internal = client.ip in [10.0.0.1/8]

Write the network, `10.0.0.0/8`, or the address, `10.0.0.1`.
",
    ),
    (
        "E0307",
        r"wrong arguments

A rule is given a value for each parameter without a default. The first may stand alone, all others are named.

    rule from(net: Cidr, port: Port) = client.ip in nets and request.port == port
    route / when from(10.0.0.0/8, 80) { to app }

Write `from(10.0.0.0/8, port: 80)`.
",
    ),
    (
        "E0308",
        r#"no header name

Header names are tokens: letters, digits and some signs, without spaces and colons (RFC 9110 section 5.1).

    set request.header["X Forwarded For"] = "1"

Write the name as it is sent, such as `x-request-id`.
"#,
    ),
    (
        "E0309",
        r#"a protected header

Some fields frame a message or belong to one connection. Were they set by hand, client, proxy and server could
disagree where a message ends. `host` is part of the address of a request.

    set request.header["host"] = "b.test"

Write `rewrite host "b.test"`; leave the other fields to twp.
"#,
    ),
    (
        "E0310",
        r"a path that no request has

Request paths are brought to one form before any route is asked: escapes decoded or in upper case, `.` and `..`
resolved, empty segments merged; `%2F`, `%5C`, `%00` and the like are refused. A path that is not in this form and
cannot be brought to it would never match.

    route /a/../b { to app }

Write the path as requests have it after that.
",
    ),
    (
        "E0311",
        r#"a regular expression that is refused

twp matches in time linear in the input, always against the whole value. Look-around, backreferences, word boundaries
and anchors inside are not part of that; very large expressions are refused.

    rule r = request.path matches re"^/(?!admin).*"

Combine conditions: `not (request.path starts_with /admin)`.
"#,
    ),
    (
        "E0312",
        r"the shape of a path pattern

A segment holds one capture; a rest such as `{rest...}` is a whole segment and the last; a group has no rest and does
not end in `/`.

    route /{a}{b} { to app }

Take both with one capture, or put a `/` between them.
",
    ),
    (
        "E0313",
        r#"unknown type of a capture

Captures are `{name}`, `{name:int}`, `{name:uuid}`, `{name:slug}`, `{name:hex}`, `{name:re"…"}` or `{name...}`.

    route /users/{id:itn} { to app }

Correct the type.
"#,
    ),
    (
        "E0314",
        r"a capture or prefix that is not there

A path template uses captures that the route, its groups or its site bind, with dots for the rest of a path.
`rewrite strip` removes a prefix that every path of the route starts with.

    route GET /users/{id:int} { rewrite path /v2/{name}  to app }

Use a name that is bound, or bind it in the pattern.
",
    ),
    (
        "E0315",
        r"no status for this

`respond` sends 200 to 599, known when the program is compiled; `redirect` takes 301, 302, 303, 307 or 308.

    redirect 200 /new

Write one of these.
",
    ),
    (
        "E0316",
        r#"no host

A host is an address or a name of letters, digits and `-`, without scheme, port or path. Sites have names without `_`.
The target of a redirect is a path or a whole URL.

    site a.test { rewrite host "https://b.test/"  to app }

Write the name alone: `b.test`.
"#,
    ),
    (
        "E0317",
        r"no method, or one twice

A method is one word; a route names each once.

    route GET|POST|GET / { to app }

Remove the second.
",
    ),
    (
        "E0318",
        r"not one of the words

Some positions take one of a few words.

    trailing_slash: strickt

Write one of the words that the message lists.
",
    ),
    (
        "E0319",
        r#"brackets with a constant name

Headers, query fields and cookies are read by a name in brackets that is known when the program is compiled.

    request.header[name]

Write the name between quotes: `request.header["x-user"]`.
"#,
    ),
    (
        "E0320",
        r#"text that may hold control characters

Header values and targets of redirects are String: no control characters, so nothing can end a line and begin another
field. Text with `\n` in it is RawString and fits only bodies.

    set response.header["x"] = "a\nb"

Leave the control characters out.
"#,
    ),
    (
        "E0321",
        r#"this cannot be written

`set`, `add` and `remove` work on headers. What the upstream receives as path and host is changed by `rewrite`.

    set request.path = "/x"

Write `rewrite path /x`.
"#,
    ),
    (
        "E0323",
        r"an empty list without a type

`[]` has no elements to take a type from.

    const blocked = []

Write the type: `const blocked: Set<Cidr> = []`.
",
    ),
    (
        "E0324",
        r#"`if` between patterns or lists

Patterns, lists and ranges are known when the program is compiled, so they are not chosen while it runs.

    request.path matches (if a then re"x" else re"y")

Choose between the conditions: `if a then request.path matches re"x" else request.path matches re"y"`.
"#,
    ),
    (
        "E0404",
        r"two sites for one host

On one listener each host belongs to one site.

    site a.test { to one }
    site a.test { to two }

Join the two sites, or serve them on different listeners.
",
    ),
    (
        "E0405",
        r#"an address for TLS and for plain HTTP

`bind` speaks TLS as soon as a site on its listener has `tls`. A site without `tls` on the same listener could then
never be reached, unless the listener has `plain` addresses too.

    listener web { bind: [:443] }
    site a.test { tls: acme(email: "ops@a.test")  to app }
    site b.test { to app }

Add `plain: [:80]` to the listener, or `tls` to the site.
"#,
    ),
    (
        "E0406",
        r"hosts that bind different names

A capture of the host is used in the whole site, so every host of the site has to bind it.

    site {t}.a.test, b.test { to app }

Make two sites of it.
",
    ),
    (
        "E0407",
        r"nothing to serve

A file without a `site` would answer nobody. Most often it is one that is just being written: `twp run` goes on serving
what it had, and tries the next save.

    edition 1
    upstream app { servers: [127.0.0.1:3000] }

Add a site: `site example.com { to app }`.
",
    ),
    (
        "E0408",
        r#"a certificate that `acme` does not get

An authority signs `*.` only after a DNS challenge, and never `**.` or `*`, which stand for hosts that nobody has named.

    site *.a.test { tls: acme(email: "ops@a.test")  to app }

Write `challenge: dns(cloudflare, token: …)`, name the hosts, or bring the certificate with `files(cert: …, key: …)`.
"#,
    ),
    (
        "E0409",
        r"a site on a listener for UDP

`transport: udp` is for a `stream`. Sites are served over TCP; HTTP/3 comes as a protocol of such a listener, which
then opens the UDP port by itself.

    listener dns { bind: [:53]  transport: udp }
    site a.test on dns { respond 200 }

Name the listeners of the site after `on`, or remove `transport: udp`.
",
    ),
    (
        "E0410",
        r"`http` without `tls`

`http` says what plain HTTP gets from a site with a certificate: a redirect, the site itself, or nothing. A site without
`tls` is served by plain HTTP anyway.

    site a.test { http: redirect  to app }

Add `tls`, or remove `http`.
",
    ),
    (
        "E0501",
        r"the response in a condition of a route

A route is chosen before any upstream was asked, so its condition cannot read the response.

    route /a when response.status == 404 { to archive }

Decide by the request here.
",
    ),
    (
        "E0502",
        r"a constant that reads the exchange

Constants and settings are known when the program is compiled.

    const where = request.path

Write a `rule` for a condition over the request.
",
    ),
    (
        "E0503",
        r#"a route without an answer

Every path through a route or fallback ends in a terminal: `to`, `respond` or `redirect`. A check that fails must
never fall through to another route.

    route /old/{p...} { when request.query["v"] == "2" { redirect 301 /new/{p...} } }

Add `else { … }`, or a terminal behind it.
"#,
    ),
    (
        "E0504",
        r#"no request can come here

A terminal ends the exchange, so nothing may follow it.

    route /a { respond 200  set response.header["x"] = "y" }

Move the terminal to the end.
"#,
    ),
    (
        "E0505",
        r#"a statement below a route

Statements of a site or group stand before its routes, so that nobody has to ask which routes they are for.

    site a.test { route /a { to app }  set response.header["x"] = "y" }

Move the statement above the routes.
"#,
    ),
    (
        "E0507",
        r"two fallbacks

A site or group has one answer for what no route takes; a terminal at its end is short for `fallback { … }`.

    site a.test { fallback { respond 404 }  to app }

Remove one of the two.
",
    ),
    (
        "E0508",
        r#"a body that cannot be sent

Answers with status 204, 205 and 304 have no body (RFC 9110 section 15).

    respond 204 body "done"

Write `respond 204`, or `respond 200 body "done"`.
"#,
    ),
    (
        "E0509",
        r"a policy that ends every exchange

A policy is a list of statements that other statements may follow. If it always answered, nobody could see where it is
applied that the route ends there. Its terminals stand inside `when`, or behind the `else` of `require`, `let` or `limit`.

    policy gone { respond 410 }

Write `when … { respond 410 }`, put the terminal into the route, or declare `routes` and mount them.
",
    ),
    (
        "E0701",
        r"a variable of the environment is missing or malformed

Variables that `env` declares are read each time a generation starts. One without a default must be set, and the text
must be a value of the written type, as in a file but without quotes around texts, hosts and paths.

    env WORKERS_URL: Host
    env PORT_MAX: Int = 1024    # PORT_MAX=many

The new generation does not start, and the one before serves on. Set the variable, correct it, or give it a default.
`twpc check` treats values as unknown; `twpc check --env-file FILE` tries those of a file.
",
    ),
    (
        "L0201",
        r"unused_declaration (warning)

Nothing uses this upstream, constant, rule, policy or these routes.

    upstream old { servers: [10.0.0.1:80] }

Remove it, or use it.
",
    ),
    (
        "L0202",
        r"empty_site (warning)

A site without routes and terminals answers every request with 404.

    site a.test { }

Add a route, or a terminal such as `to`.
",
    ),
    (
        "L0401",
        r"unreachable_route (warning)

Routes are tried in the order of the text. An earlier route without a condition takes every request that this one
could take.

    route /api/{path...} as api { to app }
    route GET /api/reports as reports { to reporting }

Move the special route above the general one.
",
    ),
    (
        "L0402",
        r"impossible_route (warning)

The methods before the path and the condition exclude each other, so no request can match. `GET` stands for GET and HEAD.

    route GET /a when request.method == POST { to app }

Remove one of the two conditions.
",
    ),
    (
        "L0406",
        r"get_without_head (warning)

`GET` before a path includes HEAD; in a condition it does not, and HEAD requests go elsewhere.

    route / when request.method == GET { to app }

Write `route GET / { … }`, or `request.method in [GET, HEAD]`.
",
    ),
    (
        "L0603",
        r#"open_redirect (warning)

What the client sends becomes the host of a redirect, so a link to this site can lead anywhere.

    redirect 302 "https://${request.query["next"] ?? "example.com"}/"

Write the host. Captures of the host pattern, the path and the query behind a fixed host are fine.
"#,
    ),
    (
        "L0604",
        r"upstreams receive another path than rules see (lint `path_confusion`)

Rules match the normal form of a path. With `forward_path: raw` an upstream receives the path as it was sent, and may
read it in another way: what `/admin` was refused may come in as `/%61dmin`.

    site a.test { forward_path: raw  to app }

Remove it where the upstream does not need the original spelling.
",
    ),
    (
        "L0902",
        r#"unused_allow (warning)

The lint that is allowed here is not found here.

    @allow(unreachable_route, "legacy")
    route /a { to app }

Remove the attribute.
"#,
    ),
];
