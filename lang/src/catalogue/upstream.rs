//! Settings of `upstream` and of `to`.

use super::{Argument, Block, Choice, DAY, Kind, MIB, Setting, Word};

/// `upstream name { … }`
pub static UPSTREAM: Block = Block {
    name: "upstream",
    place: "an upstream",
    settings: &[
        Setting::new("servers", Kind::Endpoints, "", "who answers; names are resolved again while running"),
        Setting::new(
            "builtin",
            Kind::Word(&BUILTIN),
            "",
            "instead of servers: an origin inside twp that answers with what it received",
        ),
        Setting::later("discover", Kind::Word(&DISCOVER), "", "instead of servers: the addresses of a name"),
        Setting::new(
            "protocol",
            Kind::Word(&PROTOCOL),
            "h1",
            "what the servers speak; `h2c` is HTTP/2 without TLS",
        ),
        Setting::new("balance", Kind::Word(&BALANCE), "round_robin", "which server is next"),
        // Shares of one server beyond a thousandth are noise.
        Setting::later("weights", Kind::Ints(0, 1000), "1 each", "shares of the servers, in their order"),
        Setting::later("tls", Kind::Block(&TLS), "", "speak TLS to the servers"),
        Setting::later("health", Kind::Block(&HEALTH), "", "ask the servers whether they are well"),
        Setting::new("timeout", Kind::Block(&TIMEOUT), "", "how long servers are waited for"),
        Setting::later("retry", Kind::Block(&RETRY), "", "when another server is asked"),
        // The number of ports one address has.
        Setting::new(
            "keepalive",
            Kind::Int(0, 65_536),
            "256",
            "idle connections kept, per worker and server",
        ),
        Setting::later("connections", Kind::Int(1, 1_000_000), "", "open connections, per server"),
        Setting::later(
            "proxy_protocol",
            Kind::Word(&PROXY_PROTOCOL),
            "off",
            "begin connections with a PROXY header",
        ),
    ],
};

/// `to upstream { … }`
pub static TO: Block = Block {
    name: "to",
    place: "`to`",
    settings: &[
        Setting::new("timeout", Kind::Block(&TIMEOUT), "the upstream's", "how long servers are waited for"),
        Setting::later("retry", Kind::Block(&RETRY), "the upstream's", "when another server is asked"),
    ],
};

static BUILTIN: Choice = Choice { what: "a builtin upstream", words: &[Word::served("echo")] };

static DISCOVER: Choice = Choice {
    what: "a way to discover servers",
    words: &[Word {
        name: "dns",
        arguments: &[Argument::new("name", Kind::Host), Argument::new("every", Kind::Duration(DAY))],
        served: false,
    }],
};

static PROTOCOL: Choice = Choice {
    what: "a protocol of an upstream",
    words: &[
        Word::served("h1"),
        Word::unserved("h2"),
        Word::unserved("h2c"),
        Word::unserved("h3"),
        Word::unserved("auto"),
    ],
};

static BALANCE: Choice = Choice {
    what: "a way to balance",
    words: &[
        Word::served("round_robin"),
        Word::unserved("least_conn"),
        Word::unserved("first_healthy"),
        Word { name: "hash", arguments: &[Argument::new("key", Kind::Key)], served: false },
    ],
};

static TLS: Block = Block {
    name: "tls",
    place: "`tls` of an upstream",
    settings: &[
        Setting::later("ca", Kind::Text, "the system's", "a PEM file with the authorities to trust"),
        Setting::later("verify", Kind::Bool, "true", "whether the certificate of a server is checked"),
        Setting::later("name", Kind::Host, "the server's", "the name to ask for and to check"),
        Setting::later("cert", Kind::Text, "", "a PEM file with the certificate to show"),
        Setting::later("key", Kind::Text, "", "a PEM file with its key"),
    ],
};

static HEALTH: Block = Block {
    name: "health",
    place: "`health` of an upstream",
    settings: &[
        Setting::later("path", Kind::Path, "/", "what is asked for"),
        Setting::later("every", Kind::Duration(DAY), "5s", "time between two questions"),
        Setting::later("timeout", Kind::Duration(DAY), "2s", "time for one answer"),
        Setting::later("expect", Kind::Statuses, "200..299", "the statuses of a healthy server"),
        Setting::later("host", Kind::Host, "the server's", "the host to ask as"),
        // More answers than that delay a decision beyond any use.
        Setting::later("rise", Kind::Int(1, 100), "2", "good answers until a server is healthy"),
        Setting::later("fall", Kind::Int(1, 100), "3", "bad answers until it is not"),
    ],
};

static TIMEOUT: Block = Block {
    name: "timeout",
    place: "`timeout` of an upstream",
    settings: &[
        Setting::new("connect", Kind::Duration(DAY), "5s", "to establish a connection"),
        Setting::new("response", Kind::Duration(DAY), "60s", "from the request sent to the response head"),
        Setting::new("idle", Kind::Duration(DAY), "60s", "between two pieces of a body"),
    ],
};

static RETRY: Block = Block {
    name: "retry",
    place: "`retry` of an upstream",
    settings: &[
        // More than ten servers are never asked for one exchange.
        Setting::later("attempts", Kind::Int(1, 10), "1", "servers asked beside the first"),
        Setting::later(
            "on",
            Kind::Failures,
            "[connect_failed]",
            "failures and statuses that another server may mend",
        ),
        Setting::later(
            "budget",
            Kind::Percent(10_000),
            "20%",
            "share of the exchanges that may be sent again",
        ),
        Setting::later("unsafe_methods", Kind::Bool, "false", "send POST and its like again too"),
        Setting::later("buffer", Kind::Size(0, 16 * MIB), "0B", "bytes of a request body kept for it"),
    ],
};

static PROXY_PROTOCOL: Choice = Choice {
    what: "a version of the PROXY protocol",
    words: &[Word::served("off"), Word::unserved("v1"), Word::unserved("v2")],
};
