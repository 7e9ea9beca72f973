//! Naming mistakes: habits of other languages and other proxies first, then slips, then what was expected.
//!
//! Each check looks at one [`Mistake`] and either knows what it is, with a place, help and where possible a fix, or
//! passes it on. Nothing here decides whether a file is right; that is done before.

mod foreign;
mod heads;
mod names;
mod paths;
mod symbols;

use super::expected;
use super::mistake::Mistake;
use crate::diagnostic::Diagnostic;
pub(super) use names::{misspelt, proposed_name};
pub(super) use symbols::{comment, semicolon};

/// A check: what the mistake is, if it is one of those it knows.
type Check = fn(&Mistake<'_, '_>) -> Option<Diagnostic>;

/// From what is certain to what is likely; the first answer counts.
const CHECKS: &[Check] = &[
    symbols::open_text,
    symbols::escape,
    symbols::at_mark,
    symbols::doubled,
    heads::answer,
    paths::host,
    paths::path,
    names::header_name,
    names::setting_with_equals,
    names::assignment_with_colon,
    names::else_if,
    foreign::word,
    heads::file,
    heads::url,
    names::misplaced,
    names::unknown_word,
    symbols::operator,
    heads::route,
    heads::test_request,
    heads::site,
    heads::address,
    heads::value,
    names::bad_name,
    symbols::quotes,
    names::missing_brace,
];

/// The diagnostic for a part that could not be read.
pub(super) fn diagnose(mistake: &Mistake<'_, '_>) -> Diagnostic {
    CHECKS.iter().find_map(|check| check(mistake)).unwrap_or_else(|| unexpected(mistake))
}

fn unexpected(mistake: &Mistake<'_, '_>) -> Diagnostic {
    let found = match mistake.here {
        Some(_) if mistake.here_text().len() <= 40 => format!("`{}`", mistake.here_text()),
        Some(_) => "this".to_owned(),
        None => "the end of the file".to_owned(),
    };
    let wanted = if mistake.at_start() {
        Some(mistake.place.part().to_owned())
    } else {
        expected::phrase(&mistake.wanted)
    };
    match wanted {
        Some(wanted) => {
            Diagnostic::error("E0111", format!("expected {wanted}, found {found}"), mistake.here_span())
        }
        None => Diagnostic::error("E0111", format!("{found} cannot stand here"), mistake.here_span()),
    }
}
