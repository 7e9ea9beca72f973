//! Values of type Tls.

use super::{Argument, Choice, Kind, Word};

/// `none`, `acme(…)`, `files(…)`
pub static TLS: Choice = Choice {
    what: "a certificate",
    words: &[
        Word::served("none"),
        Word {
            name: "acme",
            arguments: &[
                Argument::new("email", Kind::Text),
                Argument::optional("directory", Kind::Text),
                Argument::optional("challenge", Kind::Word(&CHALLENGE)),
            ],
            served: false,
        },
        Word {
            name: "files",
            arguments: &[Argument::new("cert", Kind::Text), Argument::new("key", Kind::Text)],
            served: false,
        },
    ],
};

static CHALLENGE: Choice = Choice {
    what: "a challenge of ACME",
    words: &[
        Word::unserved("http"),
        Word::unserved("tls_alpn"),
        Word {
            name: "dns",
            arguments: &[
                Argument::new("provider", Kind::Word(&PROVIDER)),
                Argument::new("token", Kind::Secret),
            ],
            served: false,
        },
    ],
};

/// Who serves zones and changes them with one token.
static PROVIDER: Choice = Choice {
    what: "a provider of DNS",
    words: &[
        Word::unserved("cloudflare"),
        Word::unserved("desec"),
        Word::unserved("digitalocean"),
        Word::unserved("gandi"),
        Word::unserved("hetzner"),
    ],
};
