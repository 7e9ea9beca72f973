//! From grammar pairs to the syntax tree: what all nodes share.
//!
//! In: pairs of one piece of text that the grammar accepted. Out: nodes with places. Values that do not fit
//! (a port above 65535) are reported at their place and leave an `Error` node.

mod declaration;
mod head;
mod statement;
mod terminal;
mod test;

use super::grammar::Rule;
use crate::Span;
use crate::ast::{Argument, Attribute, ModPath, Param, Setting, SettingValue, TypeName};
use crate::diagnostic::Diagnostic;
use crate::scan::Scan;
use crate::span::{Ident, Spanned};
use pest::iterators::Pair;

/// A node of the generated parser.
pub(super) type Node<'t> = Pair<'t, Rule>;

/// The parts of a node without its marks: braces, commas and the like.
pub(super) fn parts(node: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    node.into_inner().filter(|part| !is_mark(part.as_rule()))
}

fn is_mark(rule: Rule) -> bool {
    matches!(
        rule,
        Rule::open_brace
            | Rule::close_brace
            | Rule::close_paren
            | Rule::close_bracket
            | Rule::comma
            | Rule::colon
            | Rule::equals
            | Rule::arrow
            | Rule::result
    )
}

/// Builds nodes from pairs and collects what is wrong with values.
pub(super) struct Build<'t> {
    /// The file.
    pub scan: &'t Scan<'t>,
    source: u16,
    /// Where in `text` the piece starts that the pairs were parsed from.
    pub base: usize,
    /// How deep the expression being built stands inside others.
    pub depth: usize,
    /// How deep the terminal being built stands inside others.
    terminals: usize,
    /// What was found so far.
    pub diagnostics: Vec<Diagnostic>,
}

impl<'t> Build<'t> {
    pub(super) fn new(scan: &'t Scan<'t>, source: u16) -> Self {
        Self { scan, source, base: 0, depth: 0, terminals: 0, diagnostics: Vec::new() }
    }

    /// The place `start..end` of the file.
    pub(super) fn span_of(&self, start: usize, end: usize) -> Span {
        Span { source: self.source, ..Span::new(start, end) }
    }

    /// The place of a node without the blanks and comments that the grammar may have skipped at its end.
    pub(super) fn span(&self, node: &Node<'t>) -> Span {
        let span = node.as_span();
        let (start, mut end) = (self.base + span.start(), self.base + span.end());
        let blank_end = node.as_str().ends_with([' ', '\t', '\r', '\n']);
        // A comment reaches to the end of its line, so only the last one of a file is not followed by a blank.
        if (blank_end || end == self.scan.text.len()) && start < end {
            let solid = start + node.as_str().trim_end_matches([' ', '\t', '\r', '\n']).len();
            // A line without `//` has no comment, so its last character belongs to the node.
            let line = &self.scan.text[start..solid];
            let line = &line[line.rfind('\n').map_or(0, |at| at + 1)..];
            end = if line.contains("//") { self.scan.solid_end(end).max(start) } else { solid };
        }
        self.span_of(start, end)
    }

    pub(super) fn ident(&self, node: &Node<'t>) -> Ident {
        Spanned::new(node.as_str().to_owned(), self.span(node))
    }

    pub(super) fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    pub(super) fn edition(&mut self, node: Node<'t>) -> Spanned<i64> {
        let span = self.span(&node);
        let number = parts(node).find(|n| n.as_rule() == Rule::int);
        let value = number.and_then(|n| self.int(&n)).unwrap_or(1);
        Spanned::new(value, span)
    }

    /// Takes `///` lines and attributes; tells whether the node was one.
    pub(super) fn leading(
        &mut self,
        node: &Node<'t>,
        docs: &mut Vec<String>,
        attributes: &mut Vec<Attribute>,
    ) -> bool {
        match node.as_rule() {
            Rule::doc => {
                docs.push(doc_line(node.as_str(), "///"));
                true
            }
            Rule::attr => {
                attributes.extend(self.attribute(node));
                true
            }
            _ => false,
        }
    }

    fn attribute(&mut self, node: &Node<'t>) -> Option<Attribute> {
        let mut inner = parts(node.clone());
        let name = self.ident(&inner.next()?);
        let argument = self.ident(&inner.next()?);
        let reason = inner.next().map(|text| {
            let span = self.span(&text);
            Spanned::new(self.constant_text(text), span)
        });
        Some(Attribute { name, argument, reason })
    }

    pub(super) fn params(&mut self, node: Node<'t>) -> Vec<Param> {
        parts(node).filter_map(|param| self.param(param)).collect()
    }

    fn param(&mut self, node: Node<'t>) -> Option<Param> {
        let mut inner = parts(node);
        let name = self.ident(&inner.next()?);
        let ty = self.type_name(inner.next()?)?;
        let default = inner.next().map(|value| self.expr(value));
        Some(Param { name, ty, default })
    }

    pub(super) fn type_name(&mut self, node: Node<'t>) -> Option<TypeName> {
        let span = self.span(&node);
        let mut inner = parts(node).peekable();
        let module = inner.next_if(|part| part.as_rule() == Rule::ident).map(|part| self.ident(&part));
        let name = self.ident(&inner.next()?);
        let arguments = inner.filter_map(|argument| self.type_name(argument)).collect();
        Some(TypeName { module, name, arguments, span })
    }

    /// The words of `billing.api`.
    pub(super) fn words(&self, node: Node<'t>) -> Vec<Ident> {
        parts(node).map(|word| self.ident(&word)).collect()
    }

    pub(super) fn mod_path(&self, node: Node<'t>) -> ModPath {
        let span = self.span(&node);
        ModPath { parts: self.words(node), span }
    }

    pub(super) fn arguments(&mut self, node: Node<'t>) -> Vec<Argument> {
        parts(node).filter_map(|argument| self.argument(argument)).collect()
    }

    /// A text that has no `${…}`.
    pub(super) fn fixed_text(&mut self, node: Node<'t>) -> Spanned<String> {
        let span = self.span(&node);
        Spanned::new(self.constant_text(node), span)
    }

    /// A number with its place; `otherwise` when it was reported as too large.
    pub(super) fn number(&mut self, node: &Node<'t>, otherwise: i64) -> Spanned<i64> {
        Spanned::new(self.int(node).unwrap_or(otherwise), self.span(node))
    }

    pub(super) fn settings(&mut self, block: Node<'t>) -> Vec<Setting> {
        parts(block).filter_map(|setting| self.setting(setting)).collect()
    }

    pub(super) fn setting(&mut self, node: Node<'t>) -> Option<Setting> {
        let whole = self.span(&node);
        let mut inner = parts(node);
        let name = self.ident(&inner.next()?);
        let value = inner.next()?;
        let block = value.as_rule() == Rule::settings;
        let end = self.span(&value);
        let value = if block {
            SettingValue::Block(self.settings(value))
        } else {
            SettingValue::Expr(self.expr(value))
        };
        Some(Setting { span: Span { end: end.end, ..whole }, name, value })
    }
}

/// A line of documentation without its mark and the blank behind it.
pub(super) fn doc_line(text: &str, mark: &str) -> String {
    let line = text.strip_prefix(mark).unwrap_or(text);
    line.strip_prefix(' ').unwrap_or(line).trim_end().to_owned()
}
