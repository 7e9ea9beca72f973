//! The words that start something, and where each may stand.

use super::grammar::Rule;

/// A place in the text with its own kinds of parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// Outside of all blocks.
    Top,
    /// Inside a site.
    Site,
    /// Inside a group.
    Group,
    /// Inside a route.
    Route,
    /// Inside a fallback.
    Fallback,
    /// Inside `when … { }` or its `else { }`.
    When,
    /// Inside `on response { }` or `on error { }`.
    On,
    /// Inside a policy.
    Policy,
    /// Inside `routes … { }`.
    Routes,
    /// Inside a stream.
    Stream,
    /// Inside a forward proxy.
    Forward,
    /// Inside a test.
    Test,
    /// Inside an invariant.
    Invariant,
    /// Inside a block of settings.
    Settings,
}

impl Place {
    /// The rule that reads one part here.
    pub(super) fn rule(self) -> Rule {
        match self {
            Place::Top => Rule::top_piece,
            Place::Site | Place::Group | Place::Routes | Place::Stream | Place::Forward => Rule::site_piece,
            Place::Route | Place::Fallback => Rule::body_piece,
            Place::When | Place::On | Place::Policy => Rule::stmt_piece,
            Place::Settings => Rule::setting_piece,
            Place::Test => Rule::test_item,
            Place::Invariant => Rule::inv_item,
        }
    }

    /// The rule that reads a part which starts with this word, where only one can: rules are tried in the order of the
    /// grammar, and none before these starts with their words.
    pub(super) fn rule_of(self, word: &str) -> Option<Rule> {
        match (self, word) {
            (Place::Top, "site") => Some(Rule::site_head),
            (Place::Top, "server") => Some(Rule::server_head),
            (Place::Top, "listener") => Some(Rule::listener_head),
            (Place::Top, "upstream") => Some(Rule::upstream_head),
            (Place::Top | Place::Settings | Place::Test | Place::Invariant, _) => None,
            (Place::Site | Place::Group, "route") => Some(Rule::route_head),
            (Place::Site | Place::Group, "group") => Some(Rule::group_head),
            (Place::Site | Place::Group, "fallback") => Some(Rule::fallback_head),
            (_, "set" | "add") => Some(Rule::set_stmt),
            (_, "remove") => Some(Rule::remove_stmt),
            (_, "rewrite") => Some(Rule::rewrite),
            (_, "when") => Some(Rule::when_head),
            (_, "require") => Some(Rule::require),
            (_, "to" | "respond" | "redirect") => Some(Rule::terminal),
            (
                Place::Site
                | Place::Group
                | Place::Route
                | Place::Fallback
                | Place::When
                | Place::On
                | Place::Policy
                | Place::Routes
                | Place::Stream
                | Place::Forward,
                _,
            ) => None,
        }
    }

    /// The place as one says it after "cannot stand".
    pub(super) fn inside(self) -> &'static str {
        match self {
            Place::Top => "outside of all blocks",
            Place::Site => "inside a site",
            Place::Group => "inside a group",
            Place::Route => "inside a route",
            Place::Fallback => "inside a fallback",
            Place::When => "inside a `when`",
            Place::On => "inside an `on`",
            Place::Policy => "inside a policy",
            Place::Routes => "inside `routes`",
            Place::Stream => "inside a stream",
            Place::Forward => "inside a forward",
            Place::Test => "inside a test",
            Place::Invariant => "inside an invariant",
            Place::Settings => "among settings",
        }
    }

    /// What a part is called here.
    pub(super) fn part(self) -> &'static str {
        match self {
            Place::Top => "a declaration",
            Place::Settings => "a setting",
            Place::Test => "a line of a test",
            Place::Invariant => "a claim",
            Place::Site
            | Place::Group
            | Place::Route
            | Place::Fallback
            | Place::When
            | Place::On
            | Place::Policy
            | Place::Routes
            | Place::Stream
            | Place::Forward => "a statement",
        }
    }

    /// Whether parts of the form `name: value` stand here.
    pub(super) fn has_settings(self) -> bool {
        match self {
            Place::Top | Place::When | Place::On | Place::Policy | Place::Test | Place::Invariant => false,
            Place::Site
            | Place::Group
            | Place::Route
            | Place::Fallback
            | Place::Routes
            | Place::Stream
            | Place::Forward
            | Place::Settings => true,
        }
    }

    /// The words that start a part here.
    pub(super) fn words(self) -> Vec<&'static str> {
        match self {
            Place::Top => DECLARATIONS.to_vec(),
            Place::Site | Place::Group | Place::Routes | Place::Stream | Place::Forward => {
                [ROUTES, STATEMENTS].concat()
            }
            Place::Route | Place::Fallback | Place::When | Place::On | Place::Policy => STATEMENTS.to_vec(),
            Place::Settings => Vec::new(),
            Place::Test => TEST_LINES.to_vec(),
            Place::Invariant => CLAIMS.to_vec(),
        }
    }
}

/// Words that start a declaration.
pub(super) const DECLARATIONS: &[&str] = &[
    "site",
    "upstream",
    "listener",
    "server",
    "const",
    "rule",
    "edition",
    "use",
    "env",
    "secret",
    "enum",
    "table",
    "fn",
    "policy",
    "routes",
    "stream",
    "forward",
    "test",
    "invariant",
    "pub",
];

/// Words that start a part of a site besides statements.
pub(super) const ROUTES: &[&str] = &["route", "group", "fallback", "mount"];

/// Words that start a statement.
pub(super) const STATEMENTS: &[&str] = &[
    "set", "add", "remove", "rewrite", "when", "require", "to", "respond", "redirect", "let", "apply",
    "limit", "cache", "compress", "on", "files", "split", "tunnel", "close",
];

/// Words that start a line of a test.
pub(super) const TEST_LINES: &[&str] = &["request", "upstream", "files", "expect"];

/// Words that start a claim of an invariant.
pub(super) const CLAIMS: &[&str] = &["never", "always"];

/// Words that no name may have.
pub(super) const RESERVED: &[&str] = &[
    "and",
    "or",
    "not",
    "in",
    "if",
    "then",
    "else",
    "when",
    "true",
    "false",
    "let",
    "matches",
    "starts_with",
    "ends_with",
    "contains",
    "route",
    "site",
    "fn",
    "policy",
    "rule",
];

/// Words between two values, and `not`: all reserved, so no part starts with one.
pub(super) const INFIX_WORDS: &[&str] =
    &["and", "or", "not", "in", "matches", "starts_with", "ends_with", "contains"];

/// Words that continue what stands before them.
pub(super) const CONTINUATIONS: &[&str] = &[
    "and",
    "or",
    "not",
    "in",
    "then",
    "else",
    "matches",
    "starts_with",
    "ends_with",
    "contains",
    "as",
    "body",
    "from",
    "at",
    "reaches",
    "gets",
];

/// The place inside the block that a word opens, if it opens one that is read part by part.
pub(super) fn opens(word: &str) -> Option<Place> {
    match word {
        "site" => Some(Place::Site),
        "group" => Some(Place::Group),
        "route" => Some(Place::Route),
        "fallback" => Some(Place::Fallback),
        "when" => Some(Place::When),
        "on" => Some(Place::On),
        "policy" => Some(Place::Policy),
        "routes" => Some(Place::Routes),
        "stream" => Some(Place::Stream),
        "forward" => Some(Place::Forward),
        "test" => Some(Place::Test),
        "invariant" => Some(Place::Invariant),
        "server" | "listener" | "upstream" => Some(Place::Settings),
        _ => None,
    }
}
