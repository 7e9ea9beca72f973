//! Pages of the codes that reading the text reports.

/// Code and page, in the order of the codes.
pub(super) const PAGES: &[(&str, &str)] = &[
    (
        "E0100",
        r"a file that is too large

A source file has at most 16 MiB. Data of that size does not belong into a configuration.
",
    ),
    (
        "E0101",
        r"a bracket that is never closed

Every `{`, `(` and `[` needs its counterpart. Indentation tells where it was meant to stand.

    site a.test {
      route GET /a { to app
    }

Insert it where the help says.
",
    ),
    (
        "E0102",
        r"a closing bracket that closes nothing

There is one `}`, `)` or `]` too many, or an opening bracket is missing before it.

    site a.test { to app } }

Remove it, or add the opening bracket.
",
    ),
    (
        "E0103",
        r"`;` between statements

Statements start with a word and settings with `name:`, so nothing has to separate them.

    route GET /a { to app; }

Remove the `;`.
",
    ),
    (
        "E0104",
        r"a setting without `:`

Settings are written `name: value` or `name { … }`.

    max_body = 1MiB

Write `max_body: 1MiB`.
",
    ),
    (
        "E0105",
        r##"a text that is never closed

A text begins and ends with `"` on one line. Raw texts may span lines: `r"…"`, or `r#"…"#` when quotes stand inside.

    set request.header["x"] = "1

Add the closing quote.
"##,
    ),
    (
        "E0106",
        r"an invisible character

Characters that change the direction of text, and the byte order mark, make a file look different from what it says.
They are not allowed anywhere, also not in comments.

Remove the character; write `\u{…}` in a text that needs it.
",
    ),
    (
        "E0107",
        r"`*` in a path

A piece of a path has a name, and so has the rest of one.

    route GET /files/* { to app }

Write `/files/{rest...}` for everything below `/files/`, `/files/{name}.jpg` for one piece.
",
    ),
    (
        "E0109",
        r"an edition that is not known

`edition 1` fixes grammar and meaning of a file. This version reads edition 1.

    edition 2

Write `edition 1`, or use a version of twp that knows the other.
",
    ),
    (
        "E0110",
        r"a word that starts nothing

Each declaration and each statement starts with a word of the language, and this is none of them.

    rout GET /a { to app }

The help names the closest word when there is one.
",
    ),
    (
        "E0111",
        r"something else was expected

The text up to this place can be read; what stands here cannot follow it.

    upstream app { servers: 10.0.0.1:80, 10.0.0.2:80 }

The message says what can stand here: lists, for example, need their `[ ]`.
",
    ),
    (
        "E0112",
        r"a comment of another language

Comments start with `//` and end with the line. `///` documents the declaration that follows.

    # the main site

Write `// the main site`.
",
    ),
    (
        "E0113",
        r#"an operator of another language

Conditions are written with words.

    rule r = request.method == GET && !(client.ip in [10.0.0.0/8])

Write `and`, `or`, `not`; `==` to compare; `matches re"…"` for `~`; `if … then … else …` for `… ? … : …`; `else when` for
`else if`.
"#,
    ),
    (
        "E0114",
        r#"text in single quotes

Text stands in double quotes.

    const greeting = 'hello'

Write `"hello"`.
"#,
    ),
    (
        "E0115",
        r#"a path that is none

A path is plain text between slashes: ASCII letters, digits and `-_.~@!$&'+=%:`. A query is no part of it, and captures
stand in plain braces.

    route /search?q=x { to app }

Write other characters as `%` escapes, captures as `{name}`, and test the query: `when request.query["q"] == "x"`.
"#,
    ),
    (
        "E0116",
        r"a host that is none

A site names hosts: `example.com`, `*.example.com` (one label), `**.example.com` (one or more), `{name}.example.com`, `*`.

    site https://example.com:8443/app { to app }

Ports belong to listeners, paths to routes and groups, and names with other letters are written as DNS has them (`xn--…`).
",
    ),
    (
        "E0117",
        r"a word of another proxy

nginx, HAProxy or Caddy have this word, twp does not.

    location /api { proxy_pass http://app; }

The help says what stands for it, here `route /api/{rest...} { to app }`.
",
    ),
    (
        "E0118",
        r#"a header that belongs to no message

A header is a field of the request or of the response, and one has to say of which.

    set X-Frame-Options = "DENY"

Write `request.header["…"]` for what the upstream gets, `response.header["…"]` for what the client gets.
"#,
    ),
    (
        "E0119",
        r"a name that is none

Names are written `like_this`: small letters, digits and `_`, beginning with a letter, and none of the reserved words.
Types are written `LikeThis`.

    upstream My-App { servers: [10.0.0.1:80] }

Write `my_app`.
",
    ),
    (
        "E0120",
        r#"something that nests too deeply

Brackets nest at most 64 levels deep, an expression has at most 256 levels.

    rule r = request.host == "a" or request.host == "b" or …

Compare with many values by `in ["a", "b", …]`; give inner parts a name with `rule` or `const`.
"#,
    ),
    (
        "E0121",
        r"a block without its brace

What belongs to a site, group, route, upstream or listener stands between `{` and `}`.

    site a.test
      to app

Add the braces.
",
    ),
    (
        "E0122",
        r"documentation of nothing

`///` stands before declarations, routes and groups, `//!` at the start of a file.

    route /a { /// the old way
      to app }

Write `//` for a comment.
",
    ),
    (
        "E0123",
        r#"`:` where a value is assigned

`set`, `add` and `rule` are written with `=`, settings with `:`.

    set request.header["x"]: "1"

Write `set request.header["x"] = "1"`.
"#,
    ),
    (
        "E0124",
        r"comparisons in a row

Two comparisons are two conditions.

    rule r = 1 < request.port < 1024

Write `1 < request.port and request.port < 1024`.
",
    ),
    (
        "E0125",
        r#"`${…}` in a text that must be constant

This text is read before there is any request, so nothing can be put into it.

    @allow(empty_site, "because ${reason}")

Write plain text.
"#,
    ),
    (
        "E0126",
        r"a word at the wrong place

Declarations stand outside of all blocks, routes inside sites and groups, `edition` and `use` before everything else.

    site a.test { upstream app { servers: [10.0.0.1:80] } }

Move it; often a `}` is missing before it.
",
    ),
    (
        "E0127",
        r"a word written twice

The same word, number or text stands twice in a row, and what follows fits only behind one of them.

    route GET /a as as home { to app }

Remove one of them.
",
    ),
    (
        "E0131",
        r"a number that is too large

Numbers have 64 bits, percentages end at 100%.

    const much = 9223372036854775808

Write a smaller number.
",
    ),
    (
        "E0132",
        r"an address that is none

IPv4 addresses are four numbers of 0 to 255 without leading zeros, IPv6 addresses eight groups of hexadecimal digits, of
which `::` may stand for one or more that are zero.

    rule r = client.ip == 10.0.0.256

Correct the address.
",
    ),
    (
        "E0133",
        r"a prefix length that is too large

A prefix has 0 to 32 bits for IPv4 and 0 to 128 bits for IPv6.

    rule r = client.ip in [10.0.0.0/33]

Correct the number behind the `/`.
",
    ),
    (
        "E0134",
        r"a port that is too large

Ports end at 65535.

    upstream app { servers: [10.0.0.1:70000] }

Correct the number behind the `:`.
",
    ),
    (
        "E0135",
        r#"a character that does not exist

`\u{…}` takes the hexadecimal number of a character: 0 to d7ff or e000 to 10ffff.

    const x = "\u{d800}"

Correct the number.
"#,
    ),
    (
        "E0136",
        r#"an unknown escape

A backslash in a text starts an escape: `\n`, `\t`, `\"`, `\\`, `\$` or `\u{…}`.

    set request.header["x"] = "C:\Users"

Write `\\` for a backslash, or raw text `r"C:\Users"`, which has no escapes.
"#,
    ),
];
