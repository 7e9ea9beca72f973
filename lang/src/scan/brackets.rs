//! Which bracket belongs to which.
//!
//! Brackets of a correct file match by themselves. In a file where they do not, indentation tells what was meant: a
//! closing bracket at the start of a line belongs to the line with the same indentation, and a block whose closing
//! bracket is missing ends before the first line that is indented no deeper than the line it was opened on.

use super::{Scan, TokenKind};
use std::collections::HashMap;

/// The pairs of brackets, and what is missing or too much.
#[derive(Debug, Default)]
pub(crate) struct Brackets {
    /// For each opening token: where its block ends, after the closing bracket or where one is missing.
    ends: HashMap<usize, usize>,
    /// Opening tokens without a closing one.
    pub unclosed: Vec<Unclosed>,
    /// Where closing brackets stand that close nothing.
    pub stray: Vec<usize>,
}

/// An opening bracket that is never closed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unclosed {
    /// The number of its token.
    pub token: usize,
    /// Where the closing bracket is missing.
    pub end: usize,
    /// The token that showed it: a declaration, an outer closing bracket; `None` at the end of the file.
    pub witness: Option<usize>,
}

/// An opening bracket waiting for its closing one.
struct Waiting {
    token: usize,
    indent: usize,
    line: usize,
}

impl Brackets {
    /// Matches all brackets; `starts_declaration` tells whether a token can only stand outside of all blocks.
    pub(crate) fn new(scan: &Scan<'_>, starts_declaration: impl Fn(usize) -> bool) -> Self {
        let by_themselves = Matcher::new(scan).run(false, |_| false);
        if by_themselves.are_balanced() {
            by_themselves
        } else {
            Matcher::new(scan).run(true, starts_declaration)
        }
    }

    /// Whether every bracket has its counterpart.
    pub(crate) fn are_balanced(&self) -> bool {
        self.unclosed.is_empty() && self.stray.is_empty()
    }

    /// Where the block opened by token `open` ends.
    pub(crate) fn end(&self, open: usize) -> Option<usize> {
        self.ends.get(&open).copied()
    }

    /// Where the closing bracket of token `open` is missing.
    pub(crate) fn missing(&self, open: usize) -> Option<usize> {
        let place = self.unclosed.binary_search_by_key(&open, |unclosed| unclosed.token).ok()?;
        Some(self.unclosed[place].end)
    }

    /// Whether the closing bracket at `at` closes nothing.
    pub(crate) fn is_stray(&self, at: usize) -> bool {
        self.stray.binary_search(&at).is_ok()
    }
}

struct Matcher<'s, 't> {
    scan: &'s Scan<'t>,
    waiting: Vec<Waiting>,
    found: Brackets,
}

impl<'s, 't> Matcher<'s, 't> {
    fn new(scan: &'s Scan<'t>) -> Self {
        Self { scan, waiting: Vec::new(), found: Brackets::default() }
    }

    fn run(mut self, by_indent: bool, starts_declaration: impl Fn(usize) -> bool) -> Brackets {
        for token in 0..self.scan.tokens().len() {
            // What goes on behind the first bracket without counterpart is of no use when indentation is not asked.
            if !by_indent && !self.found.are_balanced() {
                return self.found;
            }
            match self.scan.tokens()[token].kind {
                TokenKind::Open => {
                    let at = self.scan.tokens()[token].start;
                    let (indent, line) = (self.scan.indent(at), self.scan.line(at));
                    self.waiting.push(Waiting { token, indent, line });
                }
                TokenKind::Close => self.close(token, by_indent),
                TokenKind::Word if !self.waiting.is_empty() && starts_declaration(token) => {
                    self.give_up(0, Some(token));
                }
                _ => {}
            }
        }
        self.give_up(0, None);
        self.found.unclosed.sort_by_key(|unclosed| unclosed.token);
        self.found
    }

    fn close(&mut self, token: usize, by_indent: bool) {
        let at = self.scan.tokens()[token].start;
        let bracket = self.scan.text.as_bytes()[at];
        if by_indent && self.scan.is_first_on_line(at) {
            self.give_up_deeper(token, bracket);
        }
        let counterpart = self.waiting.iter().rposition(|open| self.opens(open, bracket));
        // A `)` or `]` closes nothing beyond the block it stands in; a `}` closes the lists it stands in.
        let blocked = bracket != b'}' && self.waiting.last().is_some_and(|open| !self.opens(open, bracket));
        match counterpart {
            Some(place) if !blocked => {
                self.give_up(place + 1, Some(token));
                if let Some(open) = self.waiting.pop() {
                    self.found.ends.insert(open.token, self.scan.tokens()[token].end);
                }
            }
            _ => self.found.stray.push(at),
        }
    }

    /// Gives up the brackets opened deeper than the closing one at the start of a line, if one of its own depth waits.
    fn give_up_deeper(&mut self, token: usize, bracket: u8) {
        let at = self.scan.tokens()[token].start;
        let (indent, line) = (self.scan.indent(at), self.scan.line(at));
        let fits = |open: &Waiting| open.indent == indent && open.line != line && self.opens(open, bracket);
        let Some(place) = self.waiting.iter().rposition(fits) else { return };
        if self.waiting[place + 1..].iter().all(|open| open.indent > indent || open.line == line) {
            self.give_up(place + 1, Some(token));
        }
    }

    fn opens(&self, open: &Waiting, close: u8) -> bool {
        let bracket = self.scan.text.as_bytes()[self.scan.tokens()[open.token].start];
        matches!((bracket, close), (b'{', b'}') | (b'(', b')') | (b'[', b']'))
    }

    /// Notes that the brackets from number `from` on are never closed.
    fn give_up(&mut self, from: usize, witness: Option<usize>) {
        let until = witness.unwrap_or(self.scan.tokens().len());
        let mut latest = usize::MAX;
        for open in self.waiting.split_off(from) {
            // An inner block ends no later than the one around it.
            let end = self.missing_at(&open, until).min(latest);
            latest = end;
            self.found.ends.insert(open.token, end);
            self.found.unclosed.push(Unclosed { token: open.token, end, witness });
        }
    }

    /// Where the counterpart of an opening bracket is missing, before token `until` at the latest.
    fn missing_at(&self, open: &Waiting, until: usize) -> usize {
        let solid = |token: &usize| !self.scan.tokens()[*token].kind.is_trivia();
        let start = |token: usize| self.scan.tokens()[token].start;
        let outside = |token: &usize| {
            self.scan.is_first_on_line(start(*token)) && self.scan.indent(start(*token)) <= open.indent
        };
        let first_outside = (open.token + 1..until).filter(solid).find(outside).unwrap_or(until);
        let last = self.scan.previous_solid(first_outside).unwrap_or(open.token);
        // Without any indentation the block would be empty; then it reaches as far as it can.
        let last = if last == open.token { self.scan.previous_solid(until).unwrap_or(last) } else { last };
        self.scan.tokens()[last].end
    }
}

#[cfg(test)]
mod tests {
    use super::{Brackets, Scan};

    fn ends(text: &str) -> (Vec<(usize, usize)>, Vec<usize>) {
        let scan = Scan::new(text);
        let brackets = Brackets::new(&scan, |token| scan.str(&scan.tokens()[token]) == "site");
        let unclosed = brackets.unclosed.iter().map(|u| (scan.tokens()[u.token].start, u.end)).collect();
        (unclosed, brackets.stray)
    }

    #[test]
    fn indentation_finds_the_missing_brace() {
        let text = "site a {\n  route / { to app\n}\nsite b { to app }\n";
        let open = text.find("{ to").unwrap_or(0);
        assert_eq!(ends(text), (vec![(open, open + "{ to app".len())], vec![]));
    }

    #[test]
    fn a_declaration_ends_all_blocks() {
        let text = "site a {\n  to app\nsite b {}\n";
        assert_eq!(ends(text), (vec![(7, text.find("\nsite b").unwrap_or(0))], vec![]));
    }

    #[test]
    fn strays_are_found() {
        assert_eq!(ends("site a { } }"), (vec![], vec![11]));
        assert_eq!(ends("f(a]) "), (vec![], vec![3]));
    }

    #[test]
    fn matching_brackets_ignore_indentation() {
        assert_eq!(ends("a {\n    b {\n  }\n      }\nc { }"), (vec![], vec![]));
    }
}
