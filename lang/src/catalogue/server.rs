//! Settings of `server`.

use super::{Block, Choice, DAY, KIB, Kind, MIB, Setting, Word};

/// `server { … }`
pub static SERVER: Block = Block {
    name: "server",
    place: "`server`",
    settings: &[
        Setting::new("workers", Kind::Int(1, 256), "one per core", "threads that serve"),
        Setting::new(
            "trusted_proxies",
            Kind::Networks,
            "",
            "peers whose `x-forwarded-*` and `forwarded` fields are believed and kept",
        ),
        Setting::new("access_log", Kind::Block(&ACCESS_LOG), "", "one record for each exchange"),
        Setting::new("limits", Kind::Block(&LIMITS), "", "what one message or the process may take"),
        Setting::new(
            "drain",
            Kind::Duration(DAY),
            "5m",
            "how long an old generation may take to finish its work",
        ),
        Setting::new(
            "normalize",
            Kind::Block(&NORMALIZE),
            "",
            "how targets are brought to their normal form",
        ),
        Setting::later("timeout", Kind::Block(&TIMEOUT), "", "how long clients are waited for"),
        Setting::later(
            "admin",
            Kind::Block(&ADMIN),
            "",
            "a listener for metrics and the state of the process",
        ),
        Setting::later("user", Kind::Text, "", "the user to become once the sockets are there"),
    ],
};

static ACCESS_LOG: Block = Block {
    name: "access_log",
    place: "`access_log` of `server`",
    settings: &[
        Setting::new("off", Kind::Bool, "false", "keep no records"),
        Setting::new("path", Kind::Text, "standard output", "the file that records are appended to"),
        Setting::new("format", Kind::Word(&FORMAT), "json", "how a record is written"),
    ],
};

static FORMAT: Choice = Choice {
    what: "a format of the access log",
    words: &[Word::served("json"), Word::unserved("common"), Word::unserved("combined")],
};

static LIMITS: Block = Block {
    name: "limits",
    place: "`limits` of `server`",
    settings: &[
        // What browsers send without cookies; each connection may need the largest as memory.
        Setting::new("head", Kind::Size(KIB, MIB), "32KiB", "bytes of a message head"),
        // Lookups walk the field lines.
        Setting::new("headers", Kind::Int(1, 1000), "100", "field lines of a message head"),
        // Path and query, both below 64 KiB.
        Setting::new("path", Kind::Size(64, 64 * KIB), "8KiB", "bytes of a request target"),
        // Descriptors of one process.
        Setting::later(
            "connections",
            Kind::Int(1, 10_000_000),
            "by descriptors",
            "open connections of clients",
        ),
        Setting::later(
            "requests",
            Kind::Int(1, 1_000_000_000),
            "",
            "exchanges of one connection of a client",
        ),
    ],
};

/// `normalize { … }` of `server`; sites have the same.
pub(super) static NORMALIZE: Block = Block {
    name: "normalize",
    place: "`normalize`",
    settings: &[Setting::new(
        "encoded_slash",
        Kind::Word(&ENCODED_SLASH),
        "refuse",
        "what becomes of a path with `%2F`: an answer with 400, or it stays as it is",
    )],
};

static ENCODED_SLASH: Choice =
    Choice { what: "a way to treat `%2F`", words: &[Word::served("refuse"), Word::unserved("keep")] };

static TIMEOUT: Block = Block {
    name: "timeout",
    place: "`timeout` of `server`",
    settings: &[
        Setting::later(
            "head",
            Kind::Duration(DAY),
            "10s",
            "from the first byte of a request to the end of its head",
        ),
        Setting::later("body", Kind::Duration(DAY), "60s", "between two pieces of a request body"),
        Setting::later("idle", Kind::Duration(DAY), "75s", "between two exchanges on a connection"),
    ],
};

static ADMIN: Block = Block {
    name: "admin",
    place: "`admin` of `server`",
    settings: &[
        Setting::later("bind", Kind::Endpoints, "", "where to listen"),
        Setting::later("allow", Kind::Networks, "127.0.0.0/8, ::1", "who may ask"),
    ],
};
