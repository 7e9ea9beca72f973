//! A place where reading stopped, with what stands around it.

use super::grammar::Rule;
use super::words::Place;
use crate::scan::{Scan, Token, TokenKind};
use crate::span::Span;

/// What is known about a part that could not be read.
pub(super) struct Mistake<'w, 't> {
    pub scan: &'w Scan<'t>,
    pub source: u16,
    /// The block that the part stands in.
    pub place: Place,
    /// Where the part starts.
    pub start: usize,
    /// The furthest place that could be read.
    pub at: usize,
    /// What could stand there.
    pub wanted: Vec<Rule>,
    /// What stands there; `None` at the end of the file.
    pub here: Option<Token>,
    /// The number of the token that the part starts with.
    pub first: usize,
}

impl<'w, 't> Mistake<'w, 't> {
    pub(super) fn new(scan: &'w Scan<'t>, place: Place, start: usize, at: usize) -> Self {
        let index = scan.index_at(at);
        let here = scan.tokens().get(index).copied().filter(|token| !token.kind.is_trivia());
        let here = here.or_else(|| scan.tokens().get(scan.next_solid(index)).copied());
        let here = here.map(|token| inner_token(scan, token, at));
        Self { scan, source: 0, place, start, at, wanted: Vec::new(), here, first: scan.index_at(start) }
    }

    /// The place `start..end`.
    pub(super) fn span(&self, start: usize, end: usize) -> Span {
        Span { source: self.source, ..Span::new(start, end) }
    }

    /// The place of what stands where reading stopped.
    pub(super) fn here_span(&self) -> Span {
        if let Some(token) = self.here {
            return self.span(token.start, token.end);
        }
        let end = self.scan.solid_end(self.scan.text.len());
        self.span(end, end)
    }

    /// What stands where reading stopped.
    pub(super) fn here_text(&self) -> &'t str {
        self.here.map_or("", |token| self.scan.str(&token))
    }

    /// What kind of thing stands where reading stopped.
    pub(super) fn here_kind(&self) -> Option<TokenKind> {
        self.here.map(|token| token.kind)
    }

    /// The text of token number `index`; empty behind the end of the file.
    pub(super) fn text_of(&self, index: usize) -> &'t str {
        self.scan.tokens().get(index).map_or("", |token| self.scan.str(token))
    }

    /// The word the part starts with; empty when it starts with something else.
    pub(super) fn first_word(&self) -> &'t str {
        let token = self.scan.tokens().get(self.first);
        token.filter(|token| token.kind == TokenKind::Word).map_or("", |token| self.scan.str(token))
    }

    /// The number of the second token of the part.
    pub(super) fn second(&self) -> usize {
        self.scan.next_solid(self.first + 1)
    }

    /// Whether reading stopped before anything of the part was understood.
    pub(super) fn at_start(&self) -> bool {
        self.at <= self.start || self.scan.index_at(self.at) == self.first
    }

    /// The tokens from the start of the part to the one where reading stopped.
    pub(super) fn read_tokens(&self) -> &'w [Token] {
        let last = self.scan.next_solid(self.scan.index_at(self.at));
        &self.scan.tokens()
            [self.first.min(self.scan.tokens().len())..(last + 1).min(self.scan.tokens().len())]
    }

    /// The token just before the place where reading stopped, when nothing stands between.
    pub(super) fn glued_before(&self) -> Option<&'w Token> {
        let index = self.scan.index_at(self.at);
        let token = self.scan.tokens().get(index)?;
        if token.start < self.at {
            return Some(token);
        }
        self.scan.tokens().get(index.checked_sub(1)?).filter(|token| !token.kind.is_trivia())
    }
}

/// A text or path holds smaller things; the one that `at` stands on.
fn inner_token(scan: &Scan<'_>, token: Token, at: usize) -> Token {
    let divisible =
        matches!(token.kind, TokenKind::Text | TokenKind::OpenText | TokenKind::Path | TokenKind::Url);
    if token.start >= at || !divisible {
        return token;
    }
    let Some(text) = scan.text.get(at..token.end) else { return token };
    if matches!(token.kind, TokenKind::Path | TokenKind::Url) {
        let length = text.chars().next().map_or(0, char::len_utf8);
        return Token { kind: TokenKind::Mark, start: at, end: at + length, depth: 0 };
    }
    let inner = Scan::new(text);
    let first = inner.tokens().get(inner.next_solid(0));
    first.map_or(token, |first| Token { start: first.start + at, end: first.end + at, ..*first })
}
