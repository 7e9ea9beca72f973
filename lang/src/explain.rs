//! The reference page of every diagnostic: what it means, an example, and what to do.
//!
//! A code never changes its meaning and is never used for another. Tests compare these pages with the codes that the
//! sources use.

mod checker;
mod compiler;
mod lints;
mod modules;
mod syntax;

use crate::LINTS;
use std::sync::LazyLock;

/// Code and page of every diagnostic, in the order of the codes. The first line of a page is its title.
pub static PAGES: LazyLock<Vec<(&'static str, &'static str)>> = LazyLock::new(|| {
    let mut pages = [checker::PAGES, compiler::PAGES, lints::PAGES, modules::PAGES, syntax::PAGES].concat();
    pages.sort_unstable_by_key(|(code, _)| *code);
    pages
});

/// Lints that are found before checking, by name with their code.
const EARLY_LINTS: &[(&str, &str)] = &[("missing_edition", "L0101")];

/// The page of a code such as `E0304`.
pub fn explain(code: &str) -> Option<&'static str> {
    let place = PAGES.binary_search_by_key(&code, |(code, _)| code).ok()?;
    Some(PAGES[place].1)
}

/// The code of a lint such as `unreachable_route`.
pub fn code_of_lint(name: &str) -> Option<&'static str> {
    LINTS.iter().chain(EARLY_LINTS).find(|(lint, _)| *lint == name).map(|(_, code)| *code)
}

/// The name of the lint with this code, as `@allow` takes it; `None` for errors.
pub fn lint_name(code: &str) -> Option<&'static str> {
    LINTS.iter().chain(EARLY_LINTS).find(|(_, lint)| *lint == code).map(|(name, _)| *name)
}

#[cfg(test)]
mod tests {
    use super::{PAGES, code_of_lint, explain, lint_name};

    #[test]
    fn codes_are_unique() {
        for pair in PAGES.windows(2) {
            assert!(pair[0].0 < pair[1].0, "{} has two pages", pair[0].0);
        }
    }

    #[test]
    fn lints_are_found_by_name() {
        for (code, page) in PAGES.iter().filter(|(code, _)| code.starts_with('L')) {
            let name = lint_name(code).expect("every lint has a name");
            assert_eq!(code_of_lint(name), Some(*code));
            assert_eq!(explain(code), Some(*page));
        }
        assert_eq!(lint_name("E0201"), None);
        assert_eq!(explain("E9999"), None);
    }

    #[test]
    fn pages_are_written_like_messages() {
        for (code, page) in PAGES.iter() {
            let title = page.lines().next().expect("a title");
            assert!(!title.is_empty() && !title.ends_with('.'), "{code}: {title}");
            assert!(page.lines().nth(1) == Some("") && page.lines().count() > 2, "{code}");
            let longest = page.lines().map(|line| line.chars().count()).max();
            assert!(longest <= Some(125), "{code}: {longest:?}");
        }
    }
}
