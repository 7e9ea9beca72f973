//! Regular expressions as tables: one step for each byte, no memory, always the whole value.

use crate::limits::{REGEX_BUILD_BYTES_MAX, REGEX_TABLE_BYTES_MAX};
use regex_automata::dfa::{Automaton, StartKind, dense};
use regex_automata::util::primitives::StateID;
use regex_automata::util::{start, syntax};
use regex_automata::{Anchored, MatchKind};
use std::collections::HashMap;
use twp_lang::literal::Regex;
use twp_lang::{Diagnostic, Span};

/// Number of a table.
pub(crate) type RegexId = u32;

/// The tables of a program.
#[derive(Debug, Default)]
pub(crate) struct RegexTables {
    tables: Vec<RegexTable>,
    ids: HashMap<Regex, RegexId>,
}

/// The table of one expression.
#[derive(Debug)]
pub(crate) struct RegexTable {
    dfa: dense::DFA<Vec<u32>>,
    start: StateID,
    pattern: String,
}

impl RegexTables {
    /// Builds a table for each expression; those that cannot be built are reported.
    pub(crate) fn build(regexes: &[(Regex, Span)]) -> Result<RegexTables, Vec<Diagnostic>> {
        let mut all = RegexTables::default();
        let mut errors = Vec::new();
        for (regex, span) in regexes {
            match RegexTable::build(regex) {
                Ok(table) => {
                    let id = RegexId::try_from(all.tables.len()).unwrap_or(RegexId::MAX);
                    all.ids.insert(regex.clone(), id);
                    all.tables.push(table);
                }
                Err(reason) => errors.push(
                    Diagnostic::error("E0258", "this regular expression cannot become a table", *span)
                        .note(reason)
                        .note(format!("tables have at most {} KiB", REGEX_TABLE_BYTES_MAX / 1024))
                        .help("use smaller repetitions and ASCII classes such as `[0-9]` or `[a-z]`"),
                ),
            }
        }
        if errors.is_empty() { Ok(all) } else { Err(errors) }
    }

    /// The number of an expression that was built.
    pub(crate) fn id(&self, regex: &Regex) -> Option<RegexId> {
        self.ids.get(regex).copied()
    }

    pub(crate) fn table(&self, id: RegexId) -> Option<&RegexTable> {
        self.tables.get(id as usize)
    }
}

impl RegexTable {
    fn build(regex: &Regex) -> Result<RegexTable, String> {
        // All matches, not the leftmost: otherwise `a|ab` would stop after `a` and miss the whole of `ab`.
        let config = dense::Config::new()
            .match_kind(MatchKind::All)
            .start_kind(StartKind::Anchored)
            .dfa_size_limit(Some(REGEX_TABLE_BYTES_MAX))
            .determinize_size_limit(Some(REGEX_BUILD_BYTES_MAX));
        let dfa = dense::Builder::new()
            .configure(config)
            .syntax(syntax::Config::new().case_insensitive(regex.ignore_case))
            .build(&regex.pattern)
            .map_err(|error| error.to_string())?;
        let start = dfa
            .start_state(&start::Config::new().anchored(Anchored::Yes))
            .map_err(|error| error.to_string())?;
        let case = if regex.ignore_case { "i" } else { "" };
        Ok(RegexTable { dfa, start, pattern: format!("re{:?}{case}", regex.pattern) })
    }

    /// As written.
    pub(crate) fn pattern(&self) -> &str {
        &self.pattern
    }

    /// Bytes of memory.
    pub(crate) fn bytes(&self) -> usize {
        self.dfa.memory_usage()
    }

    /// Whether the bytes match as a whole.
    pub(crate) fn matches(&self, bytes: impl Iterator<Item = u8>) -> bool {
        let mut state = self.start;
        for byte in bytes {
            state = self.dfa.next_state(state, byte);
            if self.dfa.is_special_state(state)
                && (self.dfa.is_dead_state(state) || self.dfa.is_quit_state(state))
            {
                return false;
            }
        }
        self.dfa.is_match_state(self.dfa.next_eoi_state(state))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(pattern: &str, ignore_case: bool) -> RegexTable {
        RegexTable::build(&Regex { pattern: pattern.to_owned(), ignore_case }).expect("a small expression")
    }

    #[test]
    fn only_whole_values_match() {
        let matches = |pattern: &str, text: &str| table(pattern, false).matches(text.bytes());
        assert!(matches("a|ab", "ab"));
        assert!(matches("a|ab|", ""));
        assert!(matches("v[0-9]+", "v12"));
        assert!(!matches("v[0-9]+", "v12x"));
        assert!(!matches("v[0-9]+", "xv12"));
        assert!(matches("^a.c$", "aéc"));
        assert!(table("ab", true).matches("aB".bytes()));
    }

    #[test]
    fn an_expression_beyond_the_limit_is_reported() {
        let regex = Regex { pattern: r"(\w{1,200}x){1,50}".to_owned(), ignore_case: false };
        let errors = RegexTables::build(&[(regex, Span::new(3, 9))]).expect_err("too large");
        assert_eq!((errors[0].code, errors[0].primary.span), ("E0258", Span::new(3, 9)));
    }
}
