//! Going on behind a part that could not be read.

mod bracket;

use super::habits;
use super::mistake::Mistake;
use super::walk::{Refusal, Walk, as_setting, error_expr};
use super::words::{CONTINUATIONS, Place, RESERVED, opens};
use crate::ast::{Item, ItemKind, Named, Setting, SettingValue, SiteItem};
use crate::diagnostic::Diagnostic;
use crate::scan::brackets::Unclosed;
use crate::scan::{Token, TokenKind};
use crate::span::{Ident, Spanned};
use crate::suggest::closest;
use pest::error::{ErrorVariant, InputLocation};

impl<'t> Walk<'t> {
    /// Reports what stands here and goes on behind it. An upstream or listener with a bad name stays under the name
    /// that the report proposes, so that nothing complains about its absence.
    pub(super) fn failed_item(&mut self, refusal: &Refusal) -> Item {
        let start = self.at;
        let inner = self.failed(Place::Top, refusal);
        let end = self.scan.solid_end(self.at).max(start);
        let span = self.build.span_of(start, end);
        let first = self.scan.index_at(start);
        let word = self.scan.tokens().get(first).map_or("", |token| self.scan.str(token));
        let name = self.scan.tokens().get(self.scan.next_solid(first + 1)).map(|token| token.start);
        if let (Some(parts), Some(name), "upstream" | "listener") = (inner, name, word)
            && let Some(name) = habits::proposed_name(self.scan, name)
        {
            let name = Spanned::new(name, span);
            let settings = parts.into_iter().filter_map(as_setting).collect();
            self.renamed.push(name.value.clone());
            let named = Named { name, settings };
            let kind = if word == "upstream" { ItemKind::Upstream(named) } else { ItemKind::Listener(named) };
            return Item { docs: Vec::new(), attributes: Vec::new(), public: None, kind, span };
        }
        // A word that stands twice is followed by the name all the same.
        let mut second = self.scan.next_solid(first + 1);
        if self.scan.tokens().get(second).is_some_and(|token| self.scan.str(token) == word) {
            second = self.scan.next_solid(second + 1);
        }
        let name = self.scan.tokens().get(second).copied();
        let starts_with_word =
            self.scan.tokens().get(first).is_some_and(|token| token.kind == TokenKind::Word);
        let name = name.filter(|_| starts_with_word);
        let kind = ItemKind::Error(name.and_then(|name| self.declared_name(&name)));
        Item { docs: Vec::new(), attributes: Vec::new(), public: None, kind, span }
    }

    /// The name that a declaration gives although it could not be read, so that its uses are not unknown.
    fn declared_name(&self, token: &Token) -> Option<Ident> {
        let name = self.scan.str(token);
        let is_name = token.kind == TokenKind::Word
            && name.starts_with(|c: char| c.is_ascii_lowercase())
            && !RESERVED.contains(&name);
        is_name.then(|| Ident::new(name.to_owned(), self.build.span_of(token.start, token.end)))
    }

    /// Reports what stands here and goes on behind it. A setting whose name could be read stays, with an `Error` as
    /// its value, so that nothing complains about its absence.
    pub(super) fn failed_part(&mut self, place: Place, refusal: &Refusal) -> SiteItem {
        let start = self.at;
        self.failed(place, refusal);
        let first = self.scan.index_at(start);
        let second = self.scan.next_solid(first + 1);
        let (Some(name), Some(mark)) = (self.scan.tokens().get(first), self.scan.tokens().get(second)) else {
            return self.error_at(start);
        };
        let named = name.kind == TokenKind::Word && place.has_settings();
        // In a block of settings the first word is a name, whatever stands behind it.
        if !named || place != Place::Settings && !matches!(self.scan.str(mark), ":" | "=") {
            return self.error_at(start);
        }
        let span = self.build.span_of(start, self.scan.solid_end(self.at).max(start));
        let name = Spanned::new(self.scan.str(name).to_owned(), self.build.span_of(name.start, name.end));
        SiteItem::Setting(Setting { name, value: SettingValue::Expr(error_expr(span)), span })
    }

    /// Reports what stands here and goes on behind it. Gives the parts of its block when only its head was broken.
    fn failed(&mut self, place: Place, refusal: &Refusal) -> Option<Vec<SiteItem>> {
        let start = self.at;
        self.failures += 1;
        let read = match refusal.location {
            InputLocation::Pos(at) | InputLocation::Span((at, _)) => at,
        };
        let mut mistake = Mistake::new(self.scan, place, start, start + read);
        mistake.source = self.build.span_of(0, 0).source;
        let next = self.next_part(&mistake);
        let mut no_brace = false;
        if !self.is_bracket_trouble(start, mistake.at) {
            let diagnostic = match &refusal.variant {
                ErrorVariant::ParsingError { positives, .. } => {
                    mistake.wanted.clone_from(positives);
                    habits::diagnose(&mistake)
                }
                ErrorVariant::CustomError { .. } => Diagnostic::error(
                    "E0120",
                    "this part is too long or nests too deeply to be read",
                    mistake.here_span(),
                )
                .help("cut it into smaller parts"),
            };
            no_brace = diagnostic.code == "E0121";
            self.build.report(diagnostic);
        }
        if no_brace {
            self.skip_indented(start, mistake.at);
            return None;
        }
        let Some((opened, inner)) = self.inner_block(&mistake, next) else {
            self.at = next;
            return None;
        };
        self.at = opened + 1;
        let parts = self.inner_parts(inner, opened);
        // The `else` of a `when` that could not be read belongs to it all the same.
        if inner == Place::When {
            self.otherwise();
        }
        Some(parts)
    }

    /// What stands in the block of a part whose head could not be read.
    fn inner_parts(&mut self, place: Place, opened: usize) -> Vec<SiteItem> {
        match place {
            Place::Test => drop(self.test_items(opened)),
            Place::Invariant => drop(self.claims(opened)),
            Place::Top
            | Place::Site
            | Place::Group
            | Place::Route
            | Place::Fallback
            | Place::When
            | Place::On
            | Place::Policy
            | Place::Routes
            | Place::Stream
            | Place::Forward
            | Place::Settings => return self.block(place, opened),
        }
        Vec::new()
    }

    /// Skips what seems to belong to a block without an opening brace: lines indented deeper, and the closing brace.
    fn skip_indented(&mut self, start: usize, from: usize) {
        let indent = self.scan.indent(start);
        let rest = self.scan.tokens().iter().skip(self.scan.index_at(from.max(start + 1)));
        let mut open = 0usize;
        let outside = |token: &&Token| {
            match token.kind {
                TokenKind::Open => open += 1,
                // On one line there is no indentation: the block around ends with its own closing brace.
                TokenKind::Close if open == 0 && self.scan.line(start) == self.scan.line(token.start) => {
                    return self.closes_block(token);
                }
                TokenKind::Close => open = open.saturating_sub(1),
                _ => {}
            }
            !token.kind.is_trivia()
                && self.scan.is_first_on_line(token.start)
                && self.scan.indent(token.start) <= indent
        };
        let next = rest.take_while(|token| token.start < self.limit).find(outside);
        self.at = next.map_or(self.limit, |token| token.start);
        if self.repairing && self.brackets().is_stray(self.at) {
            let closing = self.build.span_of(self.at, self.at + 1);
            self.build
                .diagnostics
                .retain(|diagnostic| diagnostic.code != "E0102" || diagnostic.primary.span != closing);
            self.at += 1;
        }
    }

    /// Whether a bracket that was reported already explains why a part could not be read.
    fn is_bracket_trouble(&self, start: usize, at: usize) -> bool {
        let stops_in_text = || {
            let token = self.scan.tokens().get(self.scan.index_at(at));
            token.is_some_and(|token| token.kind == TokenKind::OpenText)
        };
        if !self.repairing || stops_in_text() {
            return false;
        }
        let brackets = self.brackets();
        let inside = |place: usize| (start..=at).contains(&place);
        // INVARIANT: both lists are sorted, so only the first entry behind `start` has to be looked at.
        let from = |unclosed: &Unclosed| self.scan.tokens()[unclosed.token].start < start;
        let open = brackets.unclosed.get(brackets.unclosed.partition_point(from));
        let open = open.is_some_and(|unclosed| {
            let place = self.scan.tokens()[unclosed.token].start;
            place < at && inside(place)
        });
        let stray = brackets.stray.get(brackets.stray.partition_point(|place| *place < start));
        open || stray.is_some_and(|place| inside(*place))
    }

    /// Where the next part starts or the block ends.
    fn next_part(&self, mistake: &Mistake<'_, 't>) -> usize {
        let brackets = self.brackets();
        let behind = mistake.at.max(mistake.start + 1);
        let mut index = mistake.first;
        while let Some(token) = self.scan.tokens().get(index) {
            if token.start >= self.limit {
                break;
            }
            match token.kind {
                TokenKind::Open => {
                    let end = brackets.end(index).unwrap_or(token.end);
                    index = self.scan.index_at(end.max(token.end) - 1) + 1;
                    continue;
                }
                TokenKind::Close if mistake.place != Place::Top && self.closes_block(token) => {
                    return token.start.max(mistake.start);
                }
                _ if token.start >= behind && self.starts_part(mistake.place, index) => return token.start,
                _ => {}
            }
            index += 1;
        }
        self.limit
    }

    fn closes_block(&self, token: &Token) -> bool {
        self.scan.str(token) == "}" && !(self.repairing && self.brackets().is_stray(token.start))
    }

    /// Whether a token looks like the start of a part.
    fn starts_part(&self, place: Place, index: usize) -> bool {
        let token = &self.scan.tokens()[index];
        let text = self.scan.str(token);
        let first = self.scan.is_first_on_line(token.start);
        match token.kind {
            TokenKind::Doc => first,
            TokenKind::Mark => first && text == "@",
            TokenKind::Word if first => !CONTINUATIONS.contains(&text),
            TokenKind::Word => {
                let before = self
                    .scan
                    .previous_solid(index)
                    .map_or("", |before| self.scan.str(&self.scan.tokens()[before]));
                let next = self.scan.next_solid(index + 1);
                let next = self.scan.tokens().get(next);
                let glued = next.is_some_and(|next| next.start == token.end && self.scan.str(next) != "{");
                before == ";"
                    || !glued && place.words().contains(&text) && place != Place::Top && !is_operator(before)
            }
            _ => false,
        }
    }

    /// The block that the part at `mistake` opens, when only its head could not be read.
    fn inner_block(&self, mistake: &Mistake<'_, 't>, next: usize) -> Option<(usize, Place)> {
        let mut word = mistake.first_word();
        if opens(word).is_none() {
            let words = mistake.place.words();
            word = closest(word, words.iter().copied().filter(|word| opens(word).is_some()))?;
        }
        let place = opens(word)?;
        // A word that may not stand here opens what it opens elsewhere, but only with words of this language.
        let mut index = mistake.first;
        while let Some(token) = self.scan.tokens().get(index).filter(|token| token.start < next) {
            if token.kind == TokenKind::Open {
                if token.start >= mistake.at && self.scan.str(token) == "{" {
                    return Some((token.start, place));
                }
                index = self.scan.index_at(self.brackets().end(index)?.max(token.end) - 1) + 1;
                continue;
            }
            index += 1;
        }
        None
    }

    /// Reports and skips what other languages have between parts: `;` and other comments.
    pub(super) fn skip_junk(&mut self, byte: u8) -> bool {
        if !matches!(byte, b';' | b'#' | b'/') {
            return false;
        }
        let index = self.scan.index_at(self.at);
        let Some(token) = self.scan.tokens().get(index).copied().filter(|token| token.start == self.at)
        else {
            return false;
        };
        let span = self.build.span_of(token.start, token.end);
        let diagnostic = match token.kind {
            TokenKind::Mark if byte == b';' => habits::semicolon(span),
            TokenKind::HashComment | TokenKind::BlockComment => habits::comment(self.scan, &token, span),
            _ => return false,
        };
        self.build.report(diagnostic);
        self.at = token.end;
        true
    }
}

fn is_operator(text: &str) -> bool {
    let marks = [
        "=", ".", ":", "==", "!=", "<", "<=", ">", ">=", "+", "-", "*", "??", "..", "&&", "||", "!", ",", "|",
    ];
    marks.contains(&text) || CONTINUATIONS.contains(&text)
}
