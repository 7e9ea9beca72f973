//! Words of other proxies, with what twp has instead.

use crate::diagnostic::Diagnostic;
use crate::parse::mistake::Mistake;
use crate::parse::words::Place;

/// A first word that belongs to nginx, `HAProxy`, Caddy or Apache.
pub(super) fn word(mistake: &Mistake<'_, '_>) -> Option<Diagnostic> {
    let written = mistake.first_word();
    // Those words are free as names of settings.
    if mistake.place == Place::Settings && matches!(mistake.text_of(mistake.second()), ":" | "{" | "=") {
        return None;
    }
    let (_, help) = WORDS.iter().find(|(word, _)| *word == written)?;
    let token = mistake.scan.tokens()[mistake.first];
    let span = mistake.span(token.start, token.end);
    let diagnostic = Diagnostic::error("E0117", format!("twp has no `{written}`"), span);
    Some(if written == "if" { diagnostic.fix(*help, span, "when") } else { diagnostic.help(*help) })
}

const WORDS: &[(&str, &str)] = &[
    ("location", "write `route /path { … }`, or `group /path { … }` for everything below a path"),
    ("server_name", "the hosts stand after `site`: `site example.com, www.example.com { … }`"),
    ("listen", "write `listener name { plain: [:80] }` outside of all blocks"),
    (
        "proxy_pass",
        "write `to name` with `upstream name { servers: [10.0.0.1:8080] }`, or `to 10.0.0.1:8080`",
    ),
    ("proxy_set_header", "write `set request.header[\"name\"] = \"value\"`"),
    ("proxy_redirect", "write `set response.header[\"location\"] = …`"),
    ("add_header", "write `set response.header[\"name\"] = \"value\"`, or `add` for one more line"),
    ("more_set_headers", "write `set response.header[\"name\"] = \"value\"`"),
    ("return", "write `respond 404` or `redirect 301 /path`"),
    ("deny", "write `require not (client.ip in [10.0.0.0/8]) else respond 403`"),
    ("allow", "write `require client.ip in [10.0.0.0/8] else respond 403`"),
    ("root", "write `files \"./directory\"`"),
    ("alias", "write `files \"./directory\"`"),
    ("try_files", "write `files \"./directory\"`"),
    ("http", "sites and upstreams stand outside of all blocks"),
    ("events", "it is not needed"),
    ("worker_processes", "write `server { workers: 4 }`"),
    ("include", "twp reads one file"),
    ("import", "twp reads one file"),
    ("if", "write `when`"),
    ("elif", "write `else when`"),
    ("elsif", "write `else when`"),
    ("elseif", "write `else when`"),
    ("frontend", "write `listener name { … }` and `site host { … }`"),
    ("backend", "write `upstream name { servers: [10.0.0.1:8080] }`"),
    ("cluster", "write `upstream name { servers: [10.0.0.1:8080] }`"),
    ("acl", "write `rule name = condition`"),
    ("use_backend", "write `route when condition { to name }`"),
    ("default_backend", "write `fallback { to name }`"),
    ("global", "write `server { … }`"),
    ("defaults", "every setting has a default; nothing is inherited"),
    ("reverse_proxy", "write `to name` with an upstream, or `to 10.0.0.1:8080`"),
    ("handle", "write `route /path { … }` or `group /path { … }`"),
    ("handle_path", "write `route /path/{rest...} { rewrite strip /path … }`"),
    ("header", "write `set response.header[\"name\"] = \"value\"`"),
    ("file_server", "write `files \"./directory\"`"),
    ("redir", "write `redirect 301 /path`"),
    ("rewrite_path", "write `rewrite path /path`"),
    ("virtual_host", "write `site host { … }`"),
    ("vhost", "write `site host { … }`"),
    ("var", "names for values are declared with `const`"),
    ("def", "conditions are named with `rule name = condition`"),
];
