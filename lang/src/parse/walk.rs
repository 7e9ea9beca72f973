//! The walk over a file, part by part.
//!
//! At each place where a part of a block may start, the parser generator reads one part, or the head of one with a
//! block of its own, exactly as the rule `program` would. A part it cannot read is reported once, an `Error` node
//! stands for it, and the walk goes on behind it. When something was wrong and brackets do not match, the walk is
//! repeated with the missing ones supplied and the stray ones skipped, so that a bracket is the only thing reported.

mod declaration;
mod part;
mod statement;

use super::build::{Build, Node, doc_line};
use super::grammar::{Grammar, Rule};
use super::words::{CONTINUATIONS, DECLARATIONS, INFIX_WORDS, Place};
use crate::ast::{Item, ItemKind, SiteItem, Tree, Use};
use crate::diagnostic::Diagnostic;
use crate::limits::{DIAGNOSTICS_MAX, NESTING_MAX};
use crate::scan::brackets::Brackets;
use crate::scan::{Scan, TokenKind};
pub(super) use part::{as_setting, error_expr};
use pest::Parser as _;
use std::cell::OnceCell;

/// What the parser generator says about a part it cannot read.
pub(super) type Refusal = Box<pest::error::Error<Rule>>;

/// A walk in progress.
pub(super) struct Walk<'t> {
    pub scan: &'t Scan<'t>,
    pub build: Build<'t>,
    /// The next byte to read.
    pub at: usize,
    /// Where the innermost block ends whose closing brace is missing; otherwise the end of the file.
    pub limit: usize,
    /// Whether missing brackets are supplied.
    pub repairing: bool,
    /// How many parts could not be read.
    pub failures: usize,
    /// How many `else when` stand in a row.
    chain: usize,
    /// Names under which upstreams and listeners with a bad name are kept.
    pub renamed: Vec<String>,
    /// Whether the commonest parts are read without the parser generator, and others asked for by their first word.
    pub is_quick: bool,
    /// How many blocks are open.
    depth: usize,
    brackets: OnceCell<Brackets>,
}

impl<'t> Walk<'t> {
    /// Reads a whole file.
    pub(super) fn read(scan: &'t Scan<'t>, source: u16) -> (Tree, Vec<Diagnostic>) {
        let mut walk = Walk::new(scan, source);
        let tree = walk.file();
        if walk.failures == 0 || walk.brackets().are_balanced() {
            debug_assert!(walk.failures == 0 || !walk.build.diagnostics.is_empty(), "a failure is reported");
            return (tree, walk.build.diagnostics);
        }
        let brackets = walk.brackets.take();
        let mut walk = Walk { repairing: true, ..Walk::new(scan, source) };
        walk.brackets = brackets.map_or_else(OnceCell::new, OnceCell::from);
        walk.report_brackets();
        let tree = walk.file();
        walk.drop_blocks_closed_in_text();
        walk.drop_repeated_comments();
        (tree, walk.build.diagnostics)
    }

    pub(super) fn new(scan: &'t Scan<'t>, source: u16) -> Self {
        Self {
            scan,
            build: Build::new(scan, source),
            at: 0,
            limit: scan.text.len(),
            repairing: false,
            failures: 0,
            chain: 0,
            renamed: Vec::new(),
            is_quick: true,
            depth: 0,
            brackets: OnceCell::new(),
        }
    }

    /// How brackets match; found when first needed.
    pub(super) fn brackets(&self) -> &Brackets {
        self.brackets.get_or_init(|| Brackets::new(self.scan, |token| starts_declaration(self.scan, token)))
    }

    pub(super) fn file(&mut self) -> Tree {
        let mut tree = Tree::default();
        if self.scan.text.starts_with('\u{feff}') {
            self.at = '\u{feff}'.len_utf8();
        }
        self.skip_trivia();
        while self.rest().bytes().next().is_some_and(|byte| self.skip_junk(byte)) {
            self.failures += 1;
            self.skip_trivia();
        }
        while self.rest().starts_with("//!") {
            let end = self.scan.line_end(self.at);
            tree.docs.push(doc_line(&self.scan.text[self.at..end], "//!"));
            self.at = end;
            self.skip_trivia();
        }
        if let Ok(node) = self.piece(Rule::edition) {
            tree.edition = Some(self.build.edition(node));
            self.skip_trivia();
        }
        while let Ok(node) = self.piece(Rule::use_decl) {
            tree.uses.push(self.build.use_decl(node));
            self.skip_trivia();
        }
        while self.more(None) {
            let start = self.at;
            let item = match self.part_piece(Place::Top) {
                Ok(node) => self.item(node),
                Err(refusal) => {
                    let item = self.failed_item(&refusal);
                    tree.uses.extend(self.late_use(start));
                    item
                }
            };
            tree.items.push(item);
        }
        self.drop_renamed(&mut tree);
        tree
    }

    /// A `use` behind declarations, which was reported: what it names must not be unknown on top.
    fn late_use(&mut self, start: usize) -> Option<Use> {
        let behind = std::mem::replace(&mut self.at, start);
        let written = self.piece(Rule::use_decl).ok().map(|node| self.build.use_decl(node));
        self.at = behind.max(self.at);
        written
    }

    /// Takes out upstreams and listeners that were kept under a name which something else has.
    fn drop_renamed(&mut self, tree: &mut Tree) {
        for name in std::mem::take(&mut self.renamed) {
            let same = |item: &Item| item.kind.declared().is_some_and(|declared| declared.value == name);
            if tree.items.iter().filter(|item| same(item)).count() > 1 {
                // The name of a kept one spans the whole of it, because that name stands nowhere in the text.
                let kept =
                    |item: &Item| item.kind.declared().is_some_and(|declared| declared.span == item.span);
                let dropped = tree.items.iter_mut().filter(|item| same(item) && kept(item));
                dropped.for_each(|item| item.kind = ItemKind::Error(None));
            }
        }
    }

    /// What is left of the file or of the block whose closing brace is missing.
    pub(super) fn rest(&self) -> &'t str {
        self.scan.text.get(self.at..self.limit).unwrap_or_default()
    }

    /// Reads one part of a block at the current place.
    fn part_piece(&mut self, place: Place) -> Result<Node<'t>, Refusal> {
        let rest = self.rest();
        let word = &rest[..rest.bytes().take_while(u8::is_ascii_lowercase).count()];
        let start = self.at;
        if self.is_quick
            && let Some(rule) = place.rule_of(word)
            && let Ok(node) = self.piece(rule)
        {
            if self.is_whole() {
                return Ok(node);
            }
            self.at = start;
        }
        // What was refused may still be something else, as a setting with the name of a statement; if not, this tells
        // everything that might stand here.
        self.piece(place.rule())
    }

    /// Whether a part that was read ends here, as the rule `whole` says it.
    fn is_whole(&self) -> bool {
        let rest = self.rest().trim_start_matches([' ', '\t', '\r', '\n']);
        let word = &rest[..rest.find(|c| !is_word_char(c)).unwrap_or(rest.len())];
        let marks = ['(', '[', '{', '.', '?', '=', '|', '&', ':', '<', '>'];
        !rest.starts_with(marks) && !rest.starts_with("!=") && !INFIX_WORDS.contains(&word)
    }

    /// Reads one part at the current place.
    pub(super) fn piece(&mut self, rule: Rule) -> Result<Node<'t>, Refusal> {
        self.build.base = self.at;
        let mut pairs = Grammar::parse(rule, self.rest()).map_err(Box::new)?;
        let node = pairs.next().expect("each of these rules gives one node");
        self.at += node.as_span().end();
        Ok(node)
    }

    /// Skips what the grammar skips between parts.
    pub(super) fn skip_trivia(&mut self) {
        let text = self.scan.text;
        loop {
            let rest = self.rest();
            self.at += rest.len() - rest.trim_start_matches([' ', '\t', '\r', '\n']).len();
            let rest = self.rest().as_bytes();
            let comment = match rest {
                [b'/', b'/', b'/', b'/', ..] | [b'/', b'/'] => true,
                [b'/', b'/', next, ..] => !matches!(next, b'/' | b'!'),
                _ => false,
            };
            if !comment {
                return;
            }
            self.at = text[self.at..self.limit].find('\n').map_or(self.limit, |line| self.at + line);
        }
    }

    /// Goes to the next part of the block opened at `opened` and tells whether there is one; otherwise the block's
    /// closing brace is behind us.
    fn more(&mut self, opened: Option<usize>) -> bool {
        loop {
            // Who has so many mistakes reads the first ones; going on would only cost time.
            if self.failures > DIAGNOSTICS_MAX {
                self.at = self.limit;
                return false;
            }
            self.skip_trivia();
            let Some(byte) = self.rest().bytes().next() else {
                if let Some(opened) = opened.filter(|_| self.limit == self.scan.text.len() && !self.repairing)
                {
                    self.failures += 1;
                    let span = self.build.span_of(opened, opened + 1);
                    self.build.report(
                        Diagnostic::error("E0101", "this block is never closed", span).label("opened here"),
                    );
                }
                return false;
            };
            match byte {
                b'}' if self.repairing && self.brackets().is_stray(self.at) => self.at += 1,
                b'}' if opened.is_some() => {
                    self.at += 1;
                    return false;
                }
                _ if self.skip_junk(byte) => self.failures += 1,
                _ => return true,
            }
        }
    }

    /// Stretches a place to where the walk stands.
    fn to_here(&self, from: crate::Span) -> crate::Span {
        from.to(self.build.span_of(self.at, self.at))
    }

    /// The parts of the block of a site, route or statement opened at `opened`; the walk stands behind its opening
    /// brace.
    pub(super) fn block(&mut self, place: Place, opened: usize) -> Vec<SiteItem> {
        self.parts_of(place, opened, Self::part, |item| item)
    }

    /// Reads the parts of the block opened at `opened`: `read` makes one of a node and the place it starts at,
    /// `other` of one that was read without a node, or could not be read.
    fn parts_of<P>(
        &mut self,
        place: Place,
        opened: usize,
        read: fn(&mut Self, Node<'t>, usize) -> P,
        other: fn(SiteItem) -> P,
    ) -> Vec<P> {
        let outer = self.limit;
        if self.repairing {
            let missing = self.brackets().missing(self.scan.index_at(opened));
            self.limit = missing.unwrap_or(outer).min(outer);
        }
        let mut items = Vec::new();
        self.depth += 1;
        if self.depth > NESTING_MAX {
            self.failures += 1;
            let message = format!("blocks nest deeper than {NESTING_MAX}");
            self.build.report(Diagnostic::error("E0120", message, self.build.span_of(opened, opened + 1)));
            self.at = self.limit;
        }
        while self.depth <= NESTING_MAX {
            let (before, failures) = (self.at, self.failures);
            let goes_on = self.more(Some(opened));
            // What was skipped may have been a setting, of whose absence nothing shall complain.
            if place == Place::Settings && self.failures > failures {
                items.push(other(self.error_at(before)));
            }
            if !goes_on {
                break;
            }
            let start = self.at;
            let item = match self.quick_part(place) {
                Some(part) => other(part),
                None => match self.part_piece(place) {
                    Ok(node) => read(self, node, start),
                    Err(refusal) => other(self.failed_part(place, &refusal)),
                },
            };
            items.push(item);
        }
        items.shrink_to_fit();
        self.limit = outer;
        self.depth -= 1;
        items
    }

    pub(super) fn error_at(&self, start: usize) -> SiteItem {
        let end = self.scan.solid_end(self.at).max(start);
        SiteItem::Error(self.build.span_of(start, end))
    }
}

pub(super) fn is_word_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// Whether a token starts a declaration: such a word at the very start of a line with a name or host behind it.
pub(super) fn starts_declaration(scan: &Scan<'_>, token: usize) -> bool {
    let word = scan.tokens()[token];
    if scan.indent(word.start) != 0
        || !scan.is_first_on_line(word.start)
        || !DECLARATIONS.contains(&scan.str(&word))
    {
        return false;
    }
    let next = scan.next_solid(token + 1);
    let Some(next) = scan.tokens().get(next) else { return false };
    match scan.str(&word) {
        "server" => false,
        "site" => scan.str(next) != ":",
        _ => {
            matches!(next.kind, TokenKind::Word | TokenKind::Text) && !CONTINUATIONS.contains(&scan.str(next))
        }
    }
}
