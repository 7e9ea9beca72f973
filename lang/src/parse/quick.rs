//! The commonest parts, read without the parser generator.
//!
//! Nearly all of a large file is `route /a/{b:int} as name {` and `to name`, and the generated parser needs a hundred
//! times as long for them. What is read here gives the very nodes that the grammar gives; whatever looks unusual
//! (comments inside, attributes, regular expressions, any mistake) is left to it. A test compares both ways.

use super::build::Build;
use super::grammar::Rule;
use super::walk::{Walk, is_word_char};
use super::words::{Place, RESERVED};
use crate::Span;
use crate::ast::{
    Capture, CaptureKind, ModPath, PathPattern, PatternPart, PatternSegment, Route, SiteItem, Stmt, StmtKind,
    Terminal, TerminalKind, UpstreamTarget,
};
use crate::literal::Method;
use crate::span::{Ident, Spanned};

impl Walk<'_> {
    /// The part that starts here, if it is one of the commonest; otherwise nothing is read.
    pub(super) fn quick_part(&mut self, place: Place) -> Option<SiteItem> {
        if !self.is_quick || self.repairing {
            return None;
        }
        let rest = self.rest();
        match place {
            Place::Site | Place::Group if rest.starts_with("route") => self.quick_route(),
            Place::Site | Place::Group | Place::Route | Place::Fallback | Place::When
                if rest.starts_with("to") =>
            {
                self.quick_to()
            }
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
            | Place::Test
            | Place::Invariant
            | Place::Settings => None,
        }
    }

    /// `route GET|POST /path as name when expr {` and its block.
    fn quick_route(&mut self) -> Option<SiteItem> {
        let start = self.at;
        let mut reader = Reader { build: &self.build, text: self.rest(), base: start, at: 0 };
        let (mut route, guarded) = reader.route_head()?;
        let read = start + reader.at;
        if guarded {
            self.at = read;
            let Ok(node) = self.piece(Rule::expr) else {
                self.at = start;
                return None;
            };
            self.skip_trivia();
            if !self.rest().starts_with('{') {
                self.at = start;
                return None;
            }
            route.head = route.head.to(self.build.span(&node));
            route.guard = Some(self.build.expr(node));
            self.at += 1;
        } else {
            self.at = read;
        }
        let opened = self.at - 1;
        Some(SiteItem::Route(self.route_body(route, opened)))
    }

    /// `to name`
    fn quick_to(&mut self) -> Option<SiteItem> {
        let mut reader = Reader { build: &self.build, text: self.rest(), base: self.at, at: 0 };
        let stmt = reader.to()?;
        self.at += reader.at;
        Some(SiteItem::Stmt(stmt))
    }
}

/// Reads from the front of a text; `None` means that the grammar has to look.
struct Reader<'a, 't> {
    build: &'a Build<'t>,
    text: &'t str,
    /// Where in the file the text begins.
    base: usize,
    at: usize,
}

impl<'t> Reader<'_, 't> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn span(&self, from: usize, to: usize) -> Span {
        self.build.span_of(self.base + from, self.base + to)
    }

    fn eat(&mut self, byte: u8) -> bool {
        let is_there = self.peek() == Some(byte);
        self.at += usize::from(is_there);
        is_there
    }

    /// The characters from here on that belong to a run.
    fn run(&mut self, belongs: impl Fn(u8) -> bool) -> &'t str {
        let from = self.at;
        let rest = self.text.as_bytes()[from..].iter();
        self.at += rest.take_while(|byte| belongs(**byte)).count();
        &self.text[from..self.at]
    }

    fn blanks(&mut self) {
        self.run(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n'));
    }

    fn keyword(&mut self, word: &str) -> bool {
        let rest = &self.text[self.at..];
        let is_there = rest.strip_prefix(word).is_some_and(|rest| !rest.starts_with(is_word_char));
        self.at += if is_there { word.len() } else { 0 };
        is_there
    }

    /// A name, as the rule `ident` has it.
    fn name(&mut self) -> Option<Ident> {
        let from = self.at;
        let word = self.run(is_word);
        let is_name = word.starts_with(|c: char| c.is_ascii_lowercase())
            && !RESERVED.contains(&word)
            && !self.text[self.at..].starts_with("://");
        is_name.then(|| Spanned::new(word.to_owned(), self.span(from, self.at)))
    }

    /// Up to the opening brace, or up to the condition, and whether there is one.
    fn route_head(&mut self) -> Option<(Route, bool)> {
        if !self.keyword("route") {
            return None;
        }
        let mut end = self.at;
        self.blanks();
        let mut methods = Vec::new();
        if self.peek().is_some_and(|byte| byte.is_ascii_uppercase()) {
            (methods, end) = (self.methods()?, self.at);
            self.blanks();
        }
        let mut path = None;
        if self.peek() == Some(b'/') {
            (path, end) = (Some(self.path()?), self.at);
            self.blanks();
        }
        let mut name = None;
        if self.keyword("as") {
            self.blanks();
            (name, end) = (Some(self.name()?), self.at);
            self.blanks();
        }
        let guarded = self.keyword("when");
        if guarded {
            end = self.at;
            self.blanks();
        } else if !self.eat(b'{') {
            return None;
        }
        let head = self.span(0, end);
        let route = Route {
            attributes: Vec::new(),
            docs: Vec::new(),
            methods,
            path,
            name,
            guard: None,
            body: Vec::new(),
            head,
            span: head,
        };
        Some((route, guarded))
    }

    /// `GET|POST`, without blanks inside.
    fn methods(&mut self) -> Option<Vec<Spanned<Method>>> {
        let mut methods = Vec::with_capacity(1);
        loop {
            let from = self.at;
            let word = self.run(is_word);
            if word.len() < 2 || !word.bytes().all(|byte| byte.is_ascii_uppercase()) {
                return None;
            }
            methods.push(Spanned::new(Method::from_text(word), self.span(from, self.at)));
            if !self.eat(b'|') {
                break;
            }
        }
        let end = self.at;
        self.blanks();
        let goes_on = self.peek() == Some(b'|');
        self.at = end;
        (!goes_on).then_some(methods)
    }

    fn path(&mut self) -> Option<PathPattern> {
        let start = self.at;
        let mut segments: Vec<PatternSegment> = Vec::with_capacity(4);
        while self.eat(b'/') {
            // Only the last segment may be empty, and `//` begins a comment where no path goes on.
            if self.peek() == Some(b'/') {
                return None;
            }
            let from = self.at;
            let mut parts = Vec::new();
            loop {
                let part = match self.peek() {
                    Some(b'{') => PatternPart::Capture(self.capture()?),
                    Some(byte) if is_path(byte) => self.path_text(),
                    // `${` ends a path and is a mistake everywhere.
                    Some(b'$') => return None,
                    Some(_) | None => break,
                };
                parts.reserve_exact(1);
                parts.push(part);
            }
            segments.push(PatternSegment { parts, span: self.span(from, self.at) });
        }
        segments.shrink_to_fit();
        Some(PathPattern { segments, span: self.span(start, self.at) })
    }

    fn path_text(&mut self) -> PatternPart {
        let from = self.at;
        let text = self.run(is_path).to_owned();
        PatternPart::Literal(Spanned::new(text, self.span(from, self.at)))
    }

    /// `{name}`, `{name...}` or `{name:int}`
    fn capture(&mut self) -> Option<Capture> {
        let from = self.at;
        self.at += 1;
        let name = self.name()?;
        let kind = match self.peek()? {
            b'.' => {
                if self.run(|byte| byte == b'.') != "..." {
                    return None;
                }
                CaptureKind::Rest
            }
            b':' => {
                self.at += 1;
                CaptureKind::Typed(self.name()?)
            }
            _ => CaptureKind::Segment,
        };
        self.eat(b'}').then(|| Capture { name, kind, span: self.span(from, self.at) })
    }

    /// `to name` without settings.
    fn to(&mut self) -> Option<Stmt> {
        if !self.keyword("to") {
            return None;
        }
        self.blanks();
        let name = self.name()?;
        let end = self.at;
        self.blanks();
        let is_apart = self.at > end || self.peek() == Some(b'}');
        if !is_apart || !self.peek().is_some_and(|byte| byte == b'}' || byte.is_ascii_lowercase()) {
            return None;
        }
        self.at = end;
        let span = self.span(0, end);
        let target = UpstreamTarget::Name(ModPath { span: name.span, parts: vec![name] });
        let kind = TerminalKind::To { target, settings: Vec::new() };
        Some(Stmt { kind: StmtKind::Terminal(Terminal { kind, span }), span })
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Characters of a path but for `$`, which may begin `${`.
fn is_path(byte: u8) -> bool {
    is_word(byte) || b"-.~@!&'+=%:".contains(&byte)
}
