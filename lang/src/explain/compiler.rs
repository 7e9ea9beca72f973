//! Pages of the codes that compiling reports: limits of a program.

/// Code and page, in the order of the codes.
pub(super) const PAGES: &[(&str, &str)] = &[
    (
        "E0253",
        r#"something that grows too large

Rules, constants, policies and mounted routes are inlined where they are used, so a rule that uses another twice holds it
twice. `if` and `??` inside comparisons multiply in the same way, and what stands around routes stands in each of them.
Both the size and the nesting of what comes out are bounded.

    rule a = request.port > 1 or request.port > 2
    rule b = a or a
    rule c = b or b    // twenty more of these would be a million comparisons

Let rules and policies use each other less often, compare with one set (`x in ["a", "b"]`), or cut a route into several.
"#,
    ),
    (
        "E0254",
        r"too many different header, query and cookie names

Each name that a program reads has a place of its own in every request, and the number of places is bounded.

Read fewer names.
",
    ),
    (
        "E0255",
        r"too many routes

The number of routes of one program is bounded.

Serve fewer sites by one file.
",
    ),
    (
        "E0256",
        r"too many listeners

The number of listeners of one program is bounded.

Bind several addresses in one listener: `plain: [10.0.0.1:80, 10.0.0.2:80]`.
",
    ),
    (
        "E0257",
        r"a path with too many segments

Requests with deeper paths are refused before a route is chosen, so this route could never be.

Shorten the path, or take its end by `{rest...}`.
",
    ),
    (
        "E0258",
        r#"a regular expression that cannot become a table

Regular expressions run as tables, so that each byte of a request costs one step. Large repetitions of large classes
need tables that are too large.

    rule r = request.path matches re"(\w{1,200}x){1,50}"

Use smaller repetitions, and ASCII classes such as `[0-9]` instead of `\d`.
"#,
    ),
    (
        "E0259",
        r"a key of a map that is too long

Keys are compared as a whole, and one that is joined from pieces is put together on the stack, so their length is bounded.

Compare such a text with `==` instead.
",
    ),
];
