//! Statements without a block of statements.

use super::{Build, Node, parts};
use crate::ast::{Stmt, StmtKind};
use crate::parse::grammar::Rule;

impl<'t> Build<'t> {
    pub(in crate::parse) fn stmt(&mut self, node: Node<'t>) -> Stmt {
        let span = self.span(&node);
        let kind = match node.as_rule() {
            Rule::let_stmt => self.let_stmt(node),
            Rule::set_stmt => self.assignment(node),
            Rule::remove_stmt => {
                let target = parts(node).find(|n| n.as_rule() == Rule::lvalue);
                target.map(|target| StmtKind::Remove { target: self.lvalue(target) })
            }
            Rule::rewrite => self.rewrite(node),
            Rule::require => self.require(node),
            Rule::apply => self.apply(node),
            Rule::limit => Some(self.limit(node)),
            Rule::cache => {
                let block = parts(node).find(|n| n.as_rule() == Rule::settings);
                block.map(|block| StmtKind::Cache(self.settings(block)))
            }
            Rule::compress => {
                let value = parts(node).find(|n| n.as_rule() == Rule::expr);
                value.map(|value| StmtKind::Compress(self.expr(value)))
            }
            Rule::terminal => self.terminal(node).map(StmtKind::Terminal),
            // The others have blocks and are read part by part.
            _ => None,
        };
        Stmt { kind: kind.unwrap_or(StmtKind::Error), span }
    }

    fn let_stmt(&mut self, node: Node<'t>) -> Option<StmtKind> {
        let (mut name, mut ty, mut value, mut otherwise) = (None, None, None, None);
        for part in parts(node) {
            match part.as_rule() {
                Rule::ident => name = Some(self.ident(&part)),
                Rule::ty => ty = self.type_name(part),
                Rule::expr => value = Some(self.expr(part)),
                Rule::terminal => otherwise = self.terminal(part).map(Box::new),
                _ => {}
            }
        }
        Some(StmtKind::Let { name: name?, ty, value: value?, otherwise })
    }

    fn assignment(&mut self, node: Node<'t>) -> Option<StmtKind> {
        let (mut add, mut target, mut value) = (false, None, None);
        for part in parts(node) {
            match part.as_rule() {
                Rule::k_add => add = true,
                Rule::lvalue => target = Some(self.lvalue(part)),
                Rule::expr => value = Some(self.expr(part)),
                _ => {}
            }
        }
        let (target, value) = (target?, value?);
        Some(if add { StmtKind::Add { target, value } } else { StmtKind::Set { target, value } })
    }

    fn rewrite(&mut self, node: Node<'t>) -> Option<StmtKind> {
        let value = parts(node).last()?;
        match value.as_rule() {
            Rule::path_tpl => Some(StmtKind::RewritePath(self.path_template(value))),
            Rule::path_pat => Some(StmtKind::RewriteStrip(self.path_pattern(value))),
            Rule::expr => Some(StmtKind::RewriteHost(self.expr(value))),
            _ => None,
        }
    }

    fn require(&mut self, node: Node<'t>) -> Option<StmtKind> {
        let (mut condition, mut otherwise) = (None, None);
        for part in parts(node) {
            match part.as_rule() {
                Rule::expr => condition = Some(self.expr(part)),
                Rule::terminal => otherwise = self.terminal(part),
                _ => {}
            }
        }
        Some(StmtKind::Require { condition: condition?, otherwise: otherwise? })
    }

    fn apply(&mut self, node: Node<'t>) -> Option<StmtKind> {
        let (mut policy, mut arguments) = (None, Vec::new());
        for part in parts(node) {
            match part.as_rule() {
                Rule::mod_path => policy = Some(self.mod_path(part)),
                Rule::args => arguments = self.arguments(part),
                _ => {}
            }
        }
        Some(StmtKind::Apply { policy: policy?, arguments })
    }

    fn limit(&mut self, node: Node<'t>) -> StmtKind {
        let (mut settings, mut otherwise) = (Vec::new(), None);
        for part in parts(node) {
            match part.as_rule() {
                Rule::settings => settings = self.settings(part),
                Rule::terminal => otherwise = self.terminal(part).map(Box::new),
                _ => {}
            }
        }
        StmtKind::Limit { settings, otherwise }
    }
}
