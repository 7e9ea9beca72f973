//! From grammar pairs to expressions: precedence, access, calls, lists and conditions.

use super::build::{Build, Node, parts};
use super::grammar::Rule;
use crate::ast::{Argument, BinaryOp, Expr, ExprKind, UnaryOp};
use crate::diagnostic::Diagnostic;
use crate::limits::EXPR_DEPTH_MAX;
use crate::span::Spanned;
use pest::pratt_parser::{Assoc, Op, PrattParser};
use std::sync::LazyLock;

/// Loosest first: `or`, `and`, `not`, comparisons, `??`, `..`, `+ -`, `*`, sign.
static PRATT: LazyLock<PrattParser<Rule>> = LazyLock::new(|| {
    PrattParser::new()
        .op(Op::infix(Rule::k_or, Assoc::Left))
        .op(Op::infix(Rule::k_and, Assoc::Left))
        .op(Op::prefix(Rule::k_not))
        .op(Op::infix(Rule::op_cmp, Assoc::Left))
        .op(Op::infix(Rule::op_else, Assoc::Right))
        .op(Op::infix(Rule::op_range, Assoc::Left))
        .op(Op::infix(Rule::op_add, Assoc::Left))
        .op(Op::infix(Rule::op_mul, Assoc::Left))
        .op(Op::prefix(Rule::op_neg))
});

impl<'t> Build<'t> {
    /// An expression; one that nests deeper than the limit is reported and left out.
    pub(super) fn expr(&mut self, node: Node<'t>) -> Expr {
        let span = self.span(&node);
        // Each operator may add one level to the tree, and every later stage walks the tree recursively.
        let operators = parts(node.clone()).filter(|n| n.as_rule() != Rule::postfix).count();
        self.nested(span, operators + 1, |build| {
            if build.chains(&node) { Expr { kind: ExprKind::Error, span } } else { build.precedence(node) }
        })
    }

    /// Runs `build` `levels` deeper, or reports that this is too deep.
    fn nested(&mut self, span: crate::Span, levels: usize, build: impl FnOnce(&mut Self) -> Expr) -> Expr {
        self.depth += levels;
        let expr = if self.depth > EXPR_DEPTH_MAX {
            let message = format!("this expression has more than {EXPR_DEPTH_MAX} levels");
            let help = "use a list with `in`, or give parts of it a name with `rule` or `const`";
            self.report(Diagnostic::error("E0120", message, span).help(help));
            Expr { kind: ExprKind::Error, span }
        } else {
            build(self)
        };
        self.depth -= levels;
        expr
    }

    /// Reports `a < b < c` and tells whether that was written.
    fn chains(&mut self, node: &Node<'t>) -> bool {
        let mut compared = false;
        for part in parts(node.clone()) {
            match part.as_rule() {
                Rule::k_and | Rule::k_or | Rule::k_not => compared = false,
                Rule::op_cmp if compared => {
                    let span = self.span(&part);
                    let diagnostic = Diagnostic::error("E0124", "comparisons do not chain", span)
                        .label("second comparison")
                        .help("compare twice and join with `and`, or use parentheses");
                    self.report(diagnostic);
                    return true;
                }
                Rule::op_cmp => compared = true,
                _ => {}
            }
        }
        false
    }

    fn precedence(&mut self, node: Node<'t>) -> Expr {
        // The three closures of the Pratt parser each need the builder for a moment.
        let build = std::cell::RefCell::new(self);
        PRATT
            .map_primary(|postfix| build.borrow_mut().postfix(postfix))
            .map_prefix(|op, operand| {
                let start = build.borrow().span(&op);
                let span = start.to(operand.span);
                let op = if op.as_rule() == Rule::k_not { UnaryOp::Not } else { UnaryOp::Negate };
                Expr { kind: ExprKind::Unary { op, operand: Box::new(operand) }, span }
            })
            .map_infix(|left, op, right| {
                let span = left.span.to(right.span);
                let op = Spanned::new(binary_op(op.as_str().trim_end()), build.borrow().span(&op));
                Expr { kind: ExprKind::Binary { op, left: Box::new(left), right: Box::new(right) }, span }
            })
            .parse(parts(node))
    }

    fn postfix(&mut self, node: Node<'t>) -> Expr {
        let span = self.span(&node);
        let levels = parts(node.clone()).count();
        self.nested(span, levels, |build| {
            let mut inner = parts(node);
            let Some(primary) = inner.next() else { return Expr { kind: ExprKind::Error, span } };
            let base = build.primary(primary);
            inner.fold(base, |base, suffix| build.suffix(base, suffix))
        })
    }

    /// `request.header["x"]` on the left of `=`.
    pub(super) fn lvalue(&mut self, node: Node<'t>) -> Expr {
        let span = self.span(&node);
        let levels = parts(node.clone()).count();
        self.nested(span, levels, |build| {
            let mut inner = parts(node);
            let Some(name) = inner.next() else { return Expr { kind: ExprKind::Error, span } };
            let base = Expr { kind: ExprKind::Name(name.as_str().to_owned()), span: build.span(&name) };
            inner.fold(base, |base, suffix| build.suffix(base, suffix))
        })
    }

    fn suffix(&mut self, base: Expr, node: Node<'t>) -> Expr {
        let span = base.span.to(self.span(&node));
        if node.as_rule() == Rule::args {
            let arguments = self.arguments(node);
            return Expr { kind: ExprKind::Call { callee: Box::new(base), arguments }, span };
        }
        let Some(inner) = parts(node).next() else { return base };
        let base = Box::new(base);
        let kind = if inner.as_rule() == Rule::ident {
            ExprKind::Access { base, name: self.ident(&inner) }
        } else {
            ExprKind::Index { base, index: Box::new(self.expr(inner)) }
        };
        Expr { kind, span }
    }

    pub(super) fn argument(&mut self, node: Node<'t>) -> Option<Argument> {
        let mut inner = parts(node);
        let first = inner.next()?;
        if first.as_rule() == Rule::ident {
            return Some(Argument { name: Some(self.ident(&first)), value: self.expr(inner.next()?) });
        }
        Some(Argument { name: None, value: self.expr(first) })
    }

    fn primary(&mut self, node: Node<'t>) -> Expr {
        let span = self.span(&node);
        let Some(inner) = parts(node).next() else { return Expr { kind: ExprKind::Error, span } };
        let kind = match inner.as_rule() {
            Rule::ident => ExprKind::Name(inner.as_str().to_owned()),
            Rule::literal => self.literal(inner),
            Rule::list => ExprKind::List(parts(inner).map(|item| self.expr(item)).collect()),
            Rule::map => self.map(inner),
            Rule::if_expr => self.if_expr(inner),
            // Parentheses: the place includes them, so that a fix replaces the whole.
            _ => self.expr(inner).kind,
        };
        Expr { kind, span }
    }

    fn map(&mut self, node: Node<'t>) -> ExprKind {
        let mut inner = parts(node);
        let mut entries = Vec::new();
        while let (Some(key), Some(value)) = (inner.next(), inner.next()) {
            let key = self.expr(key);
            entries.push((key, self.expr(value)));
        }
        ExprKind::Map(entries)
    }

    fn if_expr(&mut self, node: Node<'t>) -> ExprKind {
        let mut values = parts(node).filter(|n| n.as_rule() == Rule::expr);
        let (Some(condition), Some(then), Some(otherwise)) = (values.next(), values.next(), values.next())
        else {
            return ExprKind::Error;
        };
        ExprKind::If {
            condition: Box::new(self.expr(condition)),
            then: Box::new(self.expr(then)),
            otherwise: Box::new(self.expr(otherwise)),
        }
    }
}

/// The operator written so; the grammar admits no others.
fn binary_op(text: &str) -> BinaryOp {
    match text {
        "or" => BinaryOp::Or,
        "and" => BinaryOp::And,
        "==" => BinaryOp::Equal,
        "!=" => BinaryOp::NotEqual,
        "<" => BinaryOp::Less,
        "<=" => BinaryOp::LessEqual,
        ">" => BinaryOp::Greater,
        ">=" => BinaryOp::GreaterEqual,
        "in" => BinaryOp::In,
        "matches" => BinaryOp::Matches,
        "starts_with" => BinaryOp::StartsWith,
        "ends_with" => BinaryOp::EndsWith,
        "contains" => BinaryOp::Contains,
        "??" => BinaryOp::Else,
        ".." => BinaryOp::Range,
        "+" => BinaryOp::Add,
        "-" => BinaryOp::Subtract,
        "*" => BinaryOp::Multiply,
        // `not in` with any blanks between the two words.
        _ => BinaryOp::NotIn,
    }
}
