//! Settings of `listener`.

use super::{Block, Choice, Kind, Setting, Word};

/// `listener name { … }`
pub static LISTENER: Block = Block {
    name: "listener",
    place: "a listener",
    settings: &[
        Setting::new(
            "bind",
            Kind::Endpoints,
            "",
            "addresses; they speak TLS as soon as a site on the listener has `tls`",
        ),
        Setting::new(
            "plain",
            Kind::Endpoints,
            "",
            "addresses that never speak TLS: ACME, redirects to sites with `tls`, and sites without",
        ),
        Setting::new("transport", Kind::Word(&TRANSPORT), "tcp", "`udp` is for a `stream`"),
        Setting::new(
            "protocols",
            Kind::Words(&PROTOCOLS),
            "[h1]",
            "versions of HTTP; `h3` opens the UDP port too",
        ),
        Setting::later(
            "proxy_protocol",
            Kind::Networks,
            "",
            "peers that begin each connection with a PROXY header, versions 1 and 2",
        ),
        Setting::later("client_auth", Kind::Block(&CLIENT_AUTH), "", "certificates of clients"),
    ],
};

static TRANSPORT: Choice =
    Choice { what: "a transport", words: &[Word::served("tcp"), Word::unserved("udp")] };

static PROTOCOLS: Choice = Choice {
    what: "a version of HTTP",
    words: &[Word::served("h1"), Word::unserved("h2"), Word::unserved("h3")],
};

static CLIENT_AUTH: Block = Block {
    name: "client_auth",
    place: "`client_auth` of a listener",
    settings: &[
        Setting::later("ca", Kind::Text, "", "a PEM file with the authorities that may have signed them"),
        Setting::later(
            "mode",
            Kind::Word(&CLIENT_AUTH_MODE),
            "require",
            "refuse clients without a certificate, or ask and go on",
        ),
    ],
};

static CLIENT_AUTH_MODE: Choice = Choice {
    what: "a mode of `client_auth`",
    words: &[Word::unserved("require"), Word::unserved("request")],
};
