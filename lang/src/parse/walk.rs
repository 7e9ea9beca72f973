//! The walk over a file, part by part.
//!
//! At each place where a part of a block may start, the parser generator reads one part, or the head of one with a
//! block of its own, exactly as the rule `program` would. A part it cannot read is reported once, an `Error` node
//! stands for it, and the walk goes on behind it. When something was wrong and brackets do not match, the walk is
//! repeated with the missing ones supplied and the stray ones skipped, so that a bracket is the only thing reported.

use super::build::{Build, Leading, Node, declared_name, parts};
use super::grammar::{Grammar, Rule};
use super::habits;
use super::words::{CONTINUATIONS, DECLARATIONS, Place, opens};
use crate::ast::{
    BodyItem, Expr, Fallback, Group, Item, ItemKind, Later, Named, Route, Setting, SettingValue, SiteDecl,
    SiteItem, Stmt, StmtKind, Tree,
};
use crate::diagnostic::Diagnostic;
use crate::limits::{DIAGNOSTICS_MAX, NESTING_MAX};
use crate::scan::brackets::Brackets;
use crate::scan::{Scan, TokenKind};
use crate::span::Ident;
use crate::suggest::closest;
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
            self.at =
                self.scan.text[self.at..].find('\n').map_or(self.scan.text.len(), |line| self.at + line);
            self.skip_trivia();
        }
        if let Ok(node) = self.piece(Rule::edition) {
            tree.edition = Some(self.build.edition(node));
            self.skip_trivia();
        }
        while let Ok(node) = self.piece(Rule::use_decl) {
            tree.items.push(self.build.use_decl(&node));
            self.skip_trivia();
        }
        while self.more(None) {
            let item = match self.piece(Place::Top.rule()) {
                Ok(node) => self.item(node),
                Err(refusal) => self.failed_item(&refusal),
            };
            tree.items.push(item);
        }
        self.drop_renamed(&mut tree);
        tree
    }

    /// Takes out upstreams and listeners that were kept under a name which something else has.
    fn drop_renamed(&mut self, tree: &mut Tree) {
        for name in std::mem::take(&mut self.renamed) {
            let same = |item: &Item| declared_name(&item.kind).is_some_and(|declared| declared.value == name);
            if tree.items.iter().filter(|item| same(item)).count() > 1 {
                // The name of a kept one spans the whole of it, because that name stands nowhere in the text.
                let kept = |item: &Item| {
                    declared_name(&item.kind).is_some_and(|declared| declared.span == item.span)
                };
                let dropped = tree.items.iter_mut().filter(|item| same(item) && kept(item));
                dropped.for_each(|item| item.kind = ItemKind::Error(None));
            }
        }
    }

    /// What is left of the file or of the block whose closing brace is missing.
    pub(super) fn rest(&self) -> &'t str {
        self.scan.text.get(self.at..self.limit).unwrap_or_default()
    }

    /// Reads one part at the current place.
    fn piece(&mut self, rule: Rule) -> Result<Node<'t>, Refusal> {
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

    fn item(&mut self, node: Node<'t>) -> Item {
        if node.as_rule() == Rule::item {
            return self.build.item(node);
        }
        let (rule, opened) = (node.as_rule(), self.at - 1);
        let mut leading = Leading::default();
        let (mut head, mut public, mut name) = (None, None, None);
        let mut site = SiteDecl {
            hosts: Vec::new(),
            listeners: Vec::new(),
            items: Vec::new(),
            head: self.build.span(&node),
        };
        for part in parts(node) {
            if self.build.leading(&part, &mut leading) {
                continue;
            }
            let span = self.build.span(&part);
            if part.as_rule() == Rule::k_pub {
                public = Some(span);
            }
            let start = *head.get_or_insert(span);
            site.head = start.to(span);
            self.build.site_head(&part, &mut site);
            if part.as_rule() == Rule::ident {
                name = Some(self.build.ident(&part));
            }
        }
        let mut kind = match rule {
            Rule::site_head => {
                site.items = self.block(Place::Site, opened);
                ItemKind::Site(site)
            }
            Rule::server_head => ItemKind::Server(self.settings(opened)),
            _ => {
                let settings = self.settings(opened);
                match name {
                    Some(name) if rule == Rule::listener_head => ItemKind::Listener(Named { name, settings }),
                    Some(name) => ItemKind::Upstream(Named { name, settings }),
                    None => ItemKind::Error(None),
                }
            }
        };
        let span = self.to_here(head.unwrap_or(self.build.span_of(opened, opened)));
        if let Some(span) = public {
            kind = ItemKind::Later(Later { what: "`pub`".to_owned(), name: declared_name(&kind), span });
        }
        Item { docs: leading.docs, attributes: leading.attributes, kind, span }
    }

    /// Stretches a place to where the walk stands.
    fn to_here(&self, from: crate::Span) -> crate::Span {
        from.to(self.build.span_of(self.at, self.at))
    }

    /// The parts of the block opened at `opened`; the walk stands behind its opening brace.
    pub(super) fn block(&mut self, place: Place, opened: usize) -> Vec<SiteItem> {
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
        while self.depth <= NESTING_MAX && self.more(Some(opened)) {
            let start = self.at;
            let item = match self.piece(place.rule()) {
                Ok(node) => self.part(node, start),
                Err(refusal) => self.failed_part(place, &refusal),
            };
            items.push(item);
        }
        self.limit = outer;
        self.depth -= 1;
        items
    }

    pub(super) fn settings(&mut self, opened: usize) -> Vec<Setting> {
        let parts = self.block(Place::Settings, opened).into_iter();
        parts.filter_map(as_setting).collect()
    }

    fn body(&mut self, place: Place, opened: usize) -> Vec<BodyItem> {
        let parts = self.block(place, opened).into_iter();
        parts
            .map(|part| match part {
                SiteItem::Setting(setting) => BodyItem::Setting(setting),
                part => BodyItem::Stmt(as_stmt(part, self.build.span_of(opened, opened))),
            })
            .collect()
    }

    fn stmts(&mut self, opened: usize) -> Vec<Stmt> {
        let parts = self.block(Place::When, opened).into_iter();
        parts.map(|part| as_stmt(part, self.build.span_of(opened, opened))).collect()
    }

    fn part(&mut self, node: Node<'t>, start: usize) -> SiteItem {
        match node.as_rule() {
            Rule::route_head => SiteItem::Route(self.route(node)),
            Rule::group_head => self.or_setting(start, |walk| SiteItem::Group(walk.group(node))),
            Rule::fallback_head => self.or_setting(start, |walk| SiteItem::Fallback(walk.fallback(&node))),
            Rule::mount => SiteItem::Later(self.build.later(&node)),
            Rule::setting_value => {
                self.build.setting(node).map_or_else(|| self.error_at(start), SiteItem::Setting)
            }
            Rule::setting_head => self.setting_block(node, start),
            Rule::when_head => {
                let span = self.build.span(&node);
                let kind = self.when(node);
                SiteItem::Stmt(Stmt { kind, span: self.to_here(span) })
            }
            _ => SiteItem::Stmt(self.build.stmt(node)),
        }
    }

    pub(super) fn error_at(&self, start: usize) -> SiteItem {
        let end = self.scan.solid_end(self.at).max(start);
        SiteItem::Error(self.build.span_of(start, end))
    }

    /// Reads a `group { … }` or `fallback { … }`; when its parts do not fit, it may be a setting with that name.
    fn or_setting(&mut self, start: usize, read: impl FnOnce(&mut Self) -> SiteItem) -> SiteItem {
        let (failures, reported) = (self.failures, self.build.diagnostics.len());
        let item = read(self);
        if self.failures == failures {
            return item;
        }
        let end = std::mem::replace(&mut self.at, start);
        if let Some(setting) = self.piece(Rule::setting).ok().and_then(|node| self.build.setting(node)) {
            self.failures = failures;
            self.build.diagnostics.truncate(reported);
            return SiteItem::Setting(setting);
        }
        self.at = end;
        item
    }

    fn setting_block(&mut self, node: Node<'t>, start: usize) -> SiteItem {
        let opened = self.at - 1;
        let span = self.build.span(&node);
        let Some(name) = parts(node).next() else { return self.error_at(start) };
        let name: Ident = self.build.ident(&name);
        let (failures, reported) = (self.failures, self.build.diagnostics.len());
        let settings = self.settings(opened);
        if self.failures > failures
            && let Some(meant) = misspelt_block(&name.value)
        {
            self.failures = failures + 1;
            self.build.diagnostics.truncate(reported);
            self.build.report(habits::misspelt(&name, meant));
            self.at = opened + 1;
            let place = opens(meant).unwrap_or(Place::When);
            self.block(place, opened);
            return self.error_at(start);
        }
        let span = self.to_here(span);
        let after = self.at;
        self.skip_trivia();
        self.at = if self.rest().starts_with(',') { self.at + 1 } else { after };
        // A statement with a block, such as `limit { … }`, that could not be read is no setting of that name.
        if self.failures > failures && Place::Route.words().contains(&name.value.as_str()) {
            return SiteItem::Error(span);
        }
        SiteItem::Setting(Setting { name, value: SettingValue::Block(settings), span })
    }

    fn route(&mut self, node: Node<'t>) -> Route {
        let opened = self.at - 1;
        let span = self.build.span(&node);
        let mut route = Route {
            attributes: Vec::new(),
            methods: Vec::new(),
            path: None,
            name: None,
            guard: None,
            body: Vec::new(),
            head: span,
            span,
        };
        for part in parts(node) {
            self.build.route_head(part, &mut route);
        }
        route.body = self.body(Place::Route, opened);
        route.span = self.to_here(route.head);
        route
    }

    fn group(&mut self, node: Node<'t>) -> Group {
        let opened = self.at - 1;
        let span = self.build.span(&node);
        let mut group =
            Group { attributes: Vec::new(), path: None, guard: None, items: Vec::new(), head: span, span };
        for part in parts(node) {
            self.build.group_head(part, &mut group);
        }
        group.items = self.block(Place::Group, opened);
        group.span = self.to_here(group.head);
        group
    }

    fn fallback(&mut self, node: &Node<'t>) -> Fallback {
        let opened = self.at - 1;
        let span = self.build.span(node);
        let body = self.body(Place::Fallback, opened);
        Fallback { body, span: self.to_here(span) }
    }

    fn when(&mut self, node: Node<'t>) -> StmtKind {
        let opened = self.at - 1;
        let condition = parts(node).find(|part| part.as_rule() == Rule::expr);
        let condition = condition.map(|condition| self.build.expr(condition));
        let then = self.stmts(opened);
        let otherwise = self.otherwise();
        match condition {
            Some(condition) => StmtKind::When { condition, then, otherwise },
            None => StmtKind::Error,
        }
    }

    /// The `else` behind a `when`, if there is one.
    pub(super) fn otherwise(&mut self) -> Option<Vec<Stmt>> {
        let after = self.at;
        self.skip_trivia();
        let start = self.at;
        let has_else = self.rest().strip_prefix("else").is_some_and(|rest| !rest.starts_with(is_word_char));
        if !has_else {
            self.at = after;
            return None;
        }
        let node = match self.piece(Rule::else_head) {
            Ok(node) => node,
            Err(refusal) => {
                let item = self.failed_part(Place::When, &refusal);
                return Some(vec![as_stmt(item, self.build.span_of(start, start))]);
            }
        };
        let Some(head) = parts(node).find(|part| part.as_rule() == Rule::when_head) else {
            return Some(self.stmts(self.at - 1));
        };
        let span = self.build.span(&head);
        if self.chain >= NESTING_MAX {
            self.failures += 1;
            let message = format!("more than {NESTING_MAX} `else when` in a row");
            self.build
                .report(Diagnostic::error("E0120", message, span).help("use routes with `when` instead"));
            self.at = self.limit;
            return Some(vec![Stmt { kind: StmtKind::Error, span }]);
        }
        self.chain += 1;
        let kind = self.when(head);
        self.chain -= 1;
        Some(vec![Stmt { kind, span: self.to_here(span) }])
    }
}

/// The block that a misspelt word opens, when it is read as the name of a setting and nothing inside is one.
fn misspelt_block(name: &str) -> Option<&'static str> {
    closest(name, ["route", "group", "fallback", "when"])
}

/// A part of a block of settings. What is none was reported and stays as one without name and value, so that nothing
/// complains about what may have been meant.
pub(super) fn as_setting(part: SiteItem) -> Option<Setting> {
    match part {
        SiteItem::Setting(setting) => Some(setting),
        SiteItem::Error(span) => {
            let name = Ident::new(String::new(), span);
            Some(Setting { name, value: SettingValue::Expr(error_expr(span)), span })
        }
        SiteItem::Route(_)
        | SiteItem::Group(_)
        | SiteItem::Fallback(_)
        | SiteItem::Stmt(_)
        | SiteItem::Later(_) => None,
    }
}

/// A part of a block of statements; what is no statement was reported.
fn as_stmt(part: SiteItem, place: crate::Span) -> Stmt {
    match part {
        SiteItem::Stmt(stmt) => stmt,
        SiteItem::Error(span) => Stmt { kind: StmtKind::Error, span },
        SiteItem::Route(_)
        | SiteItem::Group(_)
        | SiteItem::Fallback(_)
        | SiteItem::Setting(_)
        | SiteItem::Later(_) => Stmt { kind: StmtKind::Error, span: place },
    }
}

/// The expression that stands where none could be read.
pub(super) fn error_expr(span: crate::Span) -> Expr {
    Expr { kind: crate::ast::ExprKind::Error, span }
}

pub(super) fn is_word_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// Whether a token starts a declaration: such a word at the very start of a line with a name or host behind it.
pub(super) fn starts_declaration(scan: &Scan<'_>, token: usize) -> bool {
    let word = scan.tokens[token];
    if scan.indent(word.start) != 0
        || !scan.is_first_on_line(word.start)
        || !DECLARATIONS.contains(&scan.str(&word))
    {
        return false;
    }
    let next = scan.next_solid(token + 1);
    let Some(next) = scan.tokens.get(next) else { return false };
    match scan.str(&word) {
        "server" => false,
        "site" => scan.str(next) != ":",
        _ => {
            matches!(next.kind, TokenKind::Word | TokenKind::Text) && !CONTINUATIONS.contains(&scan.str(next))
        }
    }
}
