//! Every setting of the language in one table: where it stands, what it takes, its default and what it means.
//!
//! The checker reads settings by this table, makes its suggestions from it, and learns from it what this version does
//! not serve. The reference page of the settings and what an editor offers come from it too, so there is no second
//! place that could say something else.

mod listener;
mod page;
mod server;
mod site;
mod tls;
mod upstream;

pub use listener::LISTENER;
pub use page::page;
pub(crate) use page::size as show_size;
pub use server::SERVER;
pub use site::{FALLBACK, GROUP, ROUTE, ROUTES, SITE};
pub use tls::TLS;
pub use upstream::{TO, UPSTREAM};

/// The blocks that hold settings, in the order of the reference page.
pub static BLOCKS: [&Block; 9] =
    [&SERVER, &LISTENER, &UPSTREAM, &TO, &SITE, &GROUP, &ROUTES, &ROUTE, &FALLBACK];

/// A block of settings.
#[derive(Debug)]
pub struct Block {
    /// Its word: `server`, `health`.
    pub name: &'static str,
    /// The block as a person calls it, with its article: `an upstream`, `` `health` of an upstream ``.
    pub place: &'static str,
    /// What it takes, in the order of the reference page.
    pub settings: &'static [Setting],
}

/// A setting.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// Its name.
    pub name: &'static str,
    /// What it takes.
    pub kind: Kind,
    /// What holds without it, as a person would write it; empty for nothing.
    pub default: &'static str,
    /// What it means, in one line.
    pub doc: &'static str,
    /// Whether this version serves it; a word or a setting inside may still be one that it does not serve.
    pub served: bool,
}

/// What a setting takes.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// `true` or `false`.
    Bool,
    /// A whole number within bounds.
    Int(i64, i64),
    /// A size in bytes within bounds.
    Size(u64, u64),
    /// More than nothing, and at most this many milliseconds.
    Duration(u64),
    /// A share, in hundredths of a percent at most.
    Percent(u32),
    /// Text that is not empty.
    Text,
    /// A path such as `/healthz`.
    Path,
    /// A host such as `app.internal`.
    Host,
    /// Whole numbers within bounds.
    Ints(i64, i64),
    /// Addresses and networks.
    Networks,
    /// Places to listen on, or to connect to.
    Endpoints,
    /// A status or a range of them.
    Statuses,
    /// Names of failures and statuses.
    Failures,
    /// A text or address of the exchange.
    Key,
    /// The name of a secret.
    Secret,
    /// A certificate: `none`, `acme(…)`, `files(…)`, or a constant of type Tls.
    Tls,
    /// One of some words.
    Word(&'static Choice),
    /// Some of some words.
    Words(&'static Choice),
    /// Settings of its own.
    Block(&'static Block),
}

/// Words to choose from.
#[derive(Debug)]
pub struct Choice {
    /// Completes "`x` is not …": `a way to balance`.
    pub what: &'static str,
    /// The words.
    pub words: &'static [Word],
}

/// A word, alone or with arguments.
#[derive(Clone, Copy, Debug)]
pub struct Word {
    /// The word.
    pub name: &'static str,
    /// Its arguments; the first may stand without its name.
    pub arguments: &'static [Argument],
    /// Whether this version serves it.
    pub served: bool,
}

/// An argument of a word.
#[derive(Clone, Copy, Debug)]
pub struct Argument {
    /// Its name.
    pub name: &'static str,
    /// What it is.
    pub kind: Kind,
    /// Whether it has to be there.
    pub required: bool,
}

impl Argument {
    /// An argument that has to be there.
    const fn new(name: &'static str, kind: Kind) -> Argument {
        Argument { name, kind, required: true }
    }

    /// An argument that may be left out.
    const fn optional(name: &'static str, kind: Kind) -> Argument {
        Argument { name, kind, required: false }
    }
}

impl Block {
    /// The setting of this name.
    pub fn setting(&self, name: &str) -> Option<&'static Setting> {
        self.settings.iter().find(|setting| setting.name == name)
    }

    /// Names of its settings.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.settings.iter().map(|setting| setting.name)
    }
}

impl Word {
    /// A word alone that this version serves.
    const fn served(name: &'static str) -> Word {
        Word { name, arguments: &[], served: true }
    }

    /// A word alone that this version does not serve.
    const fn unserved(name: &'static str) -> Word {
        Word { name, arguments: &[], served: false }
    }

    /// The word as it is listed: `hash(…)`.
    pub fn shown(&self) -> String {
        if self.arguments.is_empty() { self.name.to_owned() } else { format!("{}(…)", self.name) }
    }
}

impl Setting {
    /// A setting that this version serves.
    const fn new(name: &'static str, kind: Kind, default: &'static str, doc: &'static str) -> Setting {
        Setting { name, kind, default, doc, served: true }
    }

    /// The same, for a later version to serve.
    const fn later(name: &'static str, kind: Kind, default: &'static str, doc: &'static str) -> Setting {
        Setting { name, kind, default, doc, served: false }
    }
}

/// The blocks that take a setting of this name, as a person calls them.
pub fn places_of(name: &str) -> Vec<&'static str> {
    let mut places = Vec::new();
    for block in BLOCKS {
        find(block, name, &mut places);
    }
    places
}

fn find(block: &'static Block, name: &str, places: &mut Vec<&'static str>) {
    for setting in block.settings {
        if setting.name == name && !places.contains(&block.place) {
            places.push(block.place);
        }
        if let Kind::Block(inner) = setting.kind {
            find(inner, name, places);
        }
    }
}

/// Milliseconds in a day: no time limit of a proxy is longer by intention.
const DAY: u64 = 24 * 60 * 60 * 1000;
/// Bytes of a KiB.
const KIB: u64 = 1024;
/// Bytes of a MiB.
const MIB: u64 = 1024 * KIB;
/// Bytes of the largest body that can be told apart from a mistake: 1 TiB.
const BODY_MAX: u64 = MIB * MIB;
