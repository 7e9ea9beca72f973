//! What is said about brackets without counterpart.

use crate::diagnostic::Diagnostic;
use crate::parse::habits;
use crate::parse::walk::Walk;
use crate::parse::words::DECLARATIONS;
use crate::scan::brackets::Unclosed;
use crate::scan::{Token, TokenKind};
use std::collections::BTreeSet;

impl Walk<'_> {
    /// Reports brackets without counterpart.
    pub(in crate::parse) fn report_brackets(&mut self) {
        let (unclosed, stray) = (self.brackets().unclosed.clone(), self.brackets().stray.clone());
        for open in unclosed {
            let diagnostic = match self.comment_behind(open.token) {
                Some(comment) => {
                    habits::comment(self.scan, &comment, self.build.span_of(comment.start, comment.end))
                }
                None => self.unclosed(open),
            };
            self.build.report(diagnostic);
        }
        for at in stray {
            let bracket = &self.scan.text[at..=at];
            let span = self.build.span_of(at, at + 1);
            let diagnostic = Diagnostic::error("E0102", format!("this `{bracket}` closes nothing"), span)
                .fix("remove it, or look for a missing opening bracket before it", span, "");
            self.build.report(diagnostic);
        }
    }

    /// The `# …` on the line of an opening bracket that hides the closing one.
    fn comment_behind(&self, open: usize) -> Option<Token> {
        let bracket = self.scan.tokens()[open];
        let close = closing(self.scan.str(&bracket));
        let end = self.scan.line_end(bracket.start);
        let line = self.scan.tokens().iter().skip(open).take_while(|token| token.start < end);
        line.copied()
            .find(|token| token.kind == TokenKind::HashComment && self.scan.str(token).contains(close))
    }

    /// Drops what was reported twice: a `#` that hides several brackets.
    pub(in crate::parse) fn drop_repeated_comments(&mut self) {
        let mut seen = BTreeSet::new();
        let diagnostics = &mut self.build.diagnostics;
        diagnostics.retain(|found| found.code != "E0112" || seen.insert(found.primary.span));
    }

    /// Drops the report of a block that seems open only because its `}` stands in a text that is never closed: that
    /// is one mistake, and the text is the one to report.
    pub(in crate::parse) fn drop_blocks_closed_in_text(&mut self) {
        let Self { scan, build, .. } = self;
        let texts = build.diagnostics.iter().filter(|found| found.code == "E0105");
        let texts: Vec<_> = texts.map(|found| found.primary.span.range()).collect();
        let closed = |from: usize| {
            texts.iter().find(|text| text.start > from).is_some_and(|text| {
                scan.line(text.start) == scan.line(from) && scan.text[text.clone()].contains('}')
            })
        };
        build.diagnostics.retain(|found| {
            found.code != "E0101"
                || !closed(found.primary.span.range().start)
                || scan.text[found.primary.span.range()] != *"{"
        });
    }

    fn unclosed(&self, open: Unclosed) -> Diagnostic {
        let token = self.scan.tokens()[open.token];
        let span = self.build.span_of(token.start, token.end);
        let bracket = self.scan.str(&token);
        let close = closing(bracket);
        let message = if bracket == "{" {
            "this block is never closed".to_owned()
        } else {
            format!("this `{bracket}` is never closed")
        };
        let mut diagnostic = Diagnostic::error("E0101", message, span).label("opened here");
        if bracket == "{" {
            diagnostic = self.show_witness(diagnostic, open);
        }
        let place = self.build.span_of(open.end, open.end);
        let same_line = self.scan.line(open.end) == self.scan.line(token.start);
        let insert = match (bracket, same_line) {
            ("{", true) => " }".to_owned(),
            ("{", false) => format!("\n{}}}", " ".repeat(self.scan.indent(token.start))),
            _ => close.to_owned(),
        };
        let line = open.end - self.scan.text[..open.end].rsplit('\n').next().map_or(0, str::len);
        let from = if same_line { token.end } else { line };
        let after = self.scan.text[from.min(open.end)..open.end].trim();
        let help = if after.is_empty() || after.len() > 60 {
            format!("insert `{close}`")
        } else {
            format!("insert `{close}` after `{after}`")
        };
        diagnostic.fix(help, place, insert)
    }

    /// Shows the first thing that cannot stand inside the block.
    fn show_witness(&self, diagnostic: Diagnostic, open: Unclosed) -> Diagnostic {
        let Some(witness) = open.witness else { return diagnostic };
        let mut at = witness;
        if self.scan.tokens()[at].kind == TokenKind::Close {
            at = self.scan.next_solid(at + 1);
        }
        let Some(token) = self.scan.tokens().get(at).copied() else { return diagnostic };
        let word = self.scan.str(&token);
        let span = self.build.span_of(token.start, token.end);
        if DECLARATIONS.contains(&word) && self.scan.indent(token.start) == 0 {
            let inside = self.head_word(open.token);
            return diagnostic.with(span, format!("a `{word}` cannot start inside {inside}"));
        }
        let token = self.scan.tokens()[witness];
        if token.kind == TokenKind::Close {
            let span = self.build.span_of(token.start, token.end);
            return diagnostic.with(span, "this one closes the block around it");
        }
        diagnostic
    }

    /// What the block opened by a token is: "a route".
    fn head_word(&self, open: usize) -> &'static str {
        let line = self.scan.line(self.scan.tokens()[open].start);
        let before = self.scan.tokens()[..open].iter().rev();
        let same_line = before.take_while(|token| self.scan.line(token.start) == line);
        let words = same_line
            .take_while(|token| token.kind != TokenKind::Close && token.kind != TokenKind::Open)
            .filter(|token| !token.kind.is_trivia());
        // The word that counts is the one that the line starts with, behind attributes and `pub`.
        let mut found = "a block";
        let mut after = "";
        for token in words {
            let word = self.scan.str(token);
            found = match word {
                "site" => "a site",
                "route" => "a route",
                "group" => "a group",
                "fallback" => "a fallback",
                "when" => "a `when`",
                "upstream" => "an upstream",
                "listener" => "a listener",
                "policy" => "a policy",
                "routes" => "`routes`",
                "stream" => "a stream",
                "forward" => "a forward",
                "test" => "a test",
                "invariant" => "an invariant",
                "on" if matches!(after, "response" | "error") => "an `on`",
                _ => found,
            };
            after = word;
        }
        found
    }
}

/// The counterpart of an opening bracket.
fn closing(bracket: &str) -> &'static str {
    match bracket {
        "{" => "}",
        "(" => ")",
        _ => "]",
    }
}
