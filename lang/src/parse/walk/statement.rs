//! Statements with blocks of statements.

use super::part::as_stmt;
use super::{Walk, is_word_char};
use crate::ast::{Stmt, StmtKind};
use crate::diagnostic::Diagnostic;
use crate::limits::NESTING_MAX;
use crate::parse::build::{Node, parts};
use crate::parse::grammar::Rule;
use crate::parse::words::Place;

impl<'t> Walk<'t> {
    /// A `when` or `on` with the statements in its braces.
    pub(super) fn stmt_with_block(&mut self, node: Node<'t>) -> Stmt {
        let span = self.build.span(&node);
        let kind = match node.as_rule() {
            Rule::on_response_head => self.on_response(node),
            Rule::on_error_head => self.on_error(node),
            _ => self.when(node),
        };
        Stmt { kind, span: self.to_here(span) }
    }

    fn on_response(&mut self, node: Node<'t>) -> StmtKind {
        let opened = self.at - 1;
        let condition = parts(node).find(|part| part.as_rule() == Rule::expr);
        let condition = condition.map(|condition| self.build.expr(condition));
        StmtKind::OnResponse { condition, body: self.stmts(Place::On, opened) }
    }

    fn on_error(&mut self, node: Node<'t>) -> StmtKind {
        let opened = self.at - 1;
        let failures = parts(node).filter(|part| part.as_rule() == Rule::ident);
        let failures = failures.map(|failure| self.build.ident(&failure)).collect();
        StmtKind::OnError { failures, body: self.stmts(Place::On, opened) }
    }

    fn when(&mut self, node: Node<'t>) -> StmtKind {
        let opened = self.at - 1;
        let condition = parts(node).find(|part| part.as_rule() == Rule::expr);
        let condition = condition.map(|condition| self.build.expr(condition));
        let then = self.stmts(Place::When, opened);
        let otherwise = self.otherwise();
        match condition {
            Some(condition) => StmtKind::When { condition, then, otherwise },
            None => StmtKind::Error,
        }
    }

    /// The `else` behind a `when`, if there is one.
    pub(in crate::parse) fn otherwise(&mut self) -> Option<Vec<Stmt>> {
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
            return Some(self.stmts(Place::When, self.at - 1));
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
