//! Text in, syntax tree and diagnostics out.
//!
//! The parser generator stays behind this file: nothing outside of `parse` sees a grammar rule. Parsing never fails;
//! what could not be read stands as an `Error` node and was reported.

mod build;
mod expected;
mod expr;
mod grammar;
mod habits;
mod literal;
mod mistake;
mod pattern;
mod quick;
mod recover;
#[cfg(test)]
mod tests;
mod walk;
mod words;

use crate::ast::Tree;
use crate::diagnostic::{Diagnostic, keep_first};
use crate::limits::{DIAGNOSTICS_MAX, NESTING_MAX, PARSER_STEPS_MAX, SOURCE_BYTES_MAX};
use crate::scan::{Scan, TokenKind};
use crate::span::Span;
use std::num::NonZeroUsize;
use std::sync::Once;
use walk::Walk;

/// The edition this version reads.
const EDITION: i64 = 1;

/// Whether a word starts a statement.
pub(crate) fn is_statement(word: &str) -> bool {
    words::STATEMENTS.contains(&word)
}

/// Reads the text of the entry file.
pub fn parse(text: &str) -> (Tree, Vec<Diagnostic>) {
    let (mut tree, mut diagnostics) = parse_source(text, 0);
    edition(text, &mut tree, &mut diagnostics);
    (tree, diagnostics)
}

/// Reads the text of the file with the number `source`, which all places carry.
pub fn parse_source(text: &str, source: u16) -> (Tree, Vec<Diagnostic>) {
    static LIMIT: Once = Once::new();
    // The limit is process-wide; a parse reads it when it starts.
    LIMIT.call_once(|| pest::set_call_limit(NonZeroUsize::new(PARSER_STEPS_MAX)));
    if text.len() > SOURCE_BYTES_MAX {
        let message = format!("this file has {} bytes", text.len());
        let label = format!("a file has at most {SOURCE_BYTES_MAX} bytes");
        let span = Span { source, ..Span::new(0, 0) };
        return (Tree::default(), vec![Diagnostic::error("E0100", message, span).label(label)]);
    }
    let scan = Scan::new(text);
    if let Some(diagnostic) = nesting(&scan, source) {
        return (Tree::default(), vec![diagnostic]);
    }
    let (tree, mut diagnostics) = Walk::read(&scan, source);
    diagnostics.extend(hidden_characters(text, source));
    diagnostics.sort_by_key(|diagnostic| diagnostic.primary.span);
    keep_first(&mut diagnostics);
    (tree, diagnostics)
}

/// Reports the first place with more open brackets than the limit: the parser recurses with each.
fn nesting(scan: &Scan<'_>, source: u16) -> Option<Diagnostic> {
    if scan.is_surely_flat(NESTING_MAX) {
        return None;
    }
    let mut open = 0usize;
    // Angle brackets are no tokens that match, because `<` also compares; only those of types stand in a row.
    let mut angles = 0usize;
    for (index, token) in scan.tokens().iter().enumerate() {
        match scan.str(token) {
            "<" if follows_type_name(scan, index) => angles += 1,
            "," => {}
            _ if token.kind == TokenKind::Word || token.kind.is_trivia() => {}
            _ => angles = 0,
        }
        match token.kind {
            // Brackets that were never closed do not count for the declarations behind them.
            TokenKind::Word if open > 0 && walk::starts_declaration(scan, index) => open = 0,
            TokenKind::Open => open += 1,
            TokenKind::Close => open = open.saturating_sub(1),
            _ => {}
        }
        let inside = if token.kind == TokenKind::Open { 0 } else { token.depth };
        if (open + inside).max(angles) > NESTING_MAX {
            let message = format!("brackets nest deeper than {NESTING_MAX}");
            let span = Span { source, ..Span::new(token.start, token.end) };
            return Some(
                Diagnostic::error("E0120", message, span).help("give inner parts a name of their own"),
            );
        }
    }
    None
}

fn follows_type_name(scan: &Scan<'_>, token: usize) -> bool {
    scan.text_of_solid_before(token).is_some_and(|name| name.starts_with(|c: char| c.is_ascii_uppercase()))
}

/// Reports characters that make text look different from what it is.
fn hidden_characters(text: &str, source: u16) -> Vec<Diagnostic> {
    let hidden = |c: char| matches!(c, '\u{061c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}');
    let mut found = Vec::new();
    if text.is_ascii() {
        return found;
    }
    for (at, c) in text.char_indices().filter(|(_, c)| hidden(*c)).take(DIAGNOSTICS_MAX) {
        let span = Span { source, ..Span::new(at, at + c.len_utf8()) };
        let message = match (c, at) {
            ('\u{feff}', 0) => "a file does not start with a byte order mark".to_owned(),
            _ => format!("the invisible character U+{:04X} is not allowed", c as u32),
        };
        let diagnostic = Diagnostic::error("E0106", message, span).fix("remove it", span, "");
        found.push(diagnostic.note("it can make text look different from what it says"));
    }
    found
}

/// Reports an edition that is missing or not known.
fn edition(text: &str, tree: &mut Tree, diagnostics: &mut Vec<Diagnostic>) {
    let Some(edition) = &tree.edition else {
        // A file that could not be read at all has other problems.
        if diagnostics.iter().any(|d| matches!(d.code, "E0100" | "E0120")) {
            return;
        }
        let at = after_file_docs(text);
        let span = Span::new(at, at);
        let diagnostic = Diagnostic::warning("L0101", "this file names no edition", span)
            .note("an edition fixes what a file means; without one the newest is taken")
            .fix("insert `edition 1`", span, "edition 1\n");
        diagnostics.insert(0, diagnostic);
        return;
    };
    if edition.value != EDITION {
        let digits = text[edition.span.range()].rsplit([' ', '\t', '\n']).next().unwrap_or_default().len();
        let start = edition.span.end - u32::try_from(digits).unwrap_or(0);
        let number = Span { start, ..edition.span };
        let message = format!("edition {} is not known", edition.value);
        let diagnostic = Diagnostic::error("E0109", message, number)
            .label("this version reads edition 1")
            .fix("write `edition 1`", number, "1");
        diagnostics.push(diagnostic);
        diagnostics.sort_by_key(|diagnostic| diagnostic.primary.span);
    }
}

/// Where the first line after the `//!` lines starts.
fn after_file_docs(text: &str) -> usize {
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if !line.trim_start().starts_with("//!") {
            break;
        }
        at += line.len();
    }
    at
}
