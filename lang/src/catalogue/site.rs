//! Settings of sites, groups, routes and fallbacks.

use super::server::NORMALIZE;
use super::{Argument, BODY_MAX, Block, Choice, DAY, Kind, Setting, Word};

const MAX_BODY: Setting = Setting::new(
    "max_body",
    Kind::Size(0, BODY_MAX),
    "no limit",
    "bytes of a request body; the innermost holds",
);
const ACCESS_LOG: Setting = Setting::new(
    "access_log",
    Kind::Word(&ON_OFF),
    "on",
    "whether exchanges are logged; the innermost holds",
);
const ON_RELOAD: Setting = Setting::later(
    "on_reload",
    Kind::Word(&RELOAD),
    "drain(5m)",
    "what becomes of the streams of a route that a new configuration changed or removed",
);

/// `site hosts { … }`
pub static SITE: Block = Block {
    name: "site",
    place: "a site",
    settings: &[
        Setting::later("tls", Kind::Tls, "none", "its certificate; with one it is served by TLS alone"),
        Setting::later("http", Kind::Word(&HTTP), "redirect", "what plain HTTP gets from a site with `tls`"),
        MAX_BODY,
        Setting::new(
            "trailing_slash",
            Kind::Word(&TRAILING_SLASH),
            "strict",
            "whether `/a/` and `/a` are two paths or one",
        ),
        ACCESS_LOG,
        ON_RELOAD,
        Setting::new(
            "normalize",
            Kind::Block(&NORMALIZE),
            "the server's",
            "how targets are brought to their normal form",
        ),
        Setting::new(
            "forward_path",
            Kind::Word(&FORWARD_PATH),
            "normal",
            "whether upstreams receive the path as it was matched, or as it was sent",
        ),
    ],
};

/// `group … { … }`
pub static GROUP: Block =
    Block { name: "group", place: "a group", settings: &[MAX_BODY, ACCESS_LOG, ON_RELOAD] };

/// `routes name(…) { … }`
pub static ROUTES: Block =
    Block { name: "routes", place: "`routes`", settings: &[MAX_BODY, ACCESS_LOG, ON_RELOAD] };

/// `route … { … }`
pub static ROUTE: Block =
    Block { name: "route", place: "a route", settings: &[MAX_BODY, ACCESS_LOG, ON_RELOAD] };

/// `fallback { … }`
pub static FALLBACK: Block =
    Block { name: "fallback", place: "a fallback", settings: &[MAX_BODY, ACCESS_LOG, ON_RELOAD] };

static ON_OFF: Choice =
    Choice { what: "a value of `access_log` here", words: &[Word::served("on"), Word::served("off")] };

static RELOAD: Choice = Choice {
    what: "a way to treat streams on a reload",
    words: &[
        Word::unserved("keep"),
        Word { name: "drain", arguments: &[Argument::new("time", Kind::Duration(DAY))], served: false },
        Word::unserved("close"),
    ],
};

static HTTP: Choice = Choice {
    what: "a way to treat plain HTTP",
    words: &[Word::unserved("redirect"), Word::unserved("serve"), Word::unserved("off")],
};

static TRAILING_SLASH: Choice = Choice {
    what: "a way to treat a trailing slash",
    words: &[Word::served("strict"), Word::served("same")],
};

static FORWARD_PATH: Choice =
    Choice { what: "a form of the path", words: &[Word::served("normal"), Word::unserved("raw")] };
