//! Lines of tests and claims of invariants.

use super::{Build, Node, parts};
use crate::ast::{Claim, Expected, ExpectedLocation, Gets, Outcome, Reaches, TestField, TestItem};
use crate::literal::Method;
use crate::parse::grammar::Rule;
use crate::span::Spanned;

impl<'t> Build<'t> {
    pub(in crate::parse) fn test_item(&mut self, node: Node<'t>) -> TestItem {
        let span = self.span(&node);
        let item = match node.as_rule() {
            Rule::t_request => self.test_request(node),
            Rule::t_upstream => self.test_upstream(node),
            Rule::t_files => parts(node)
                .last()
                .map(|path| TestItem::FilesLack(Spanned::new(path.as_str().to_owned(), self.span(&path)))),
            _ => self.expected(node).map(|kind| TestItem::Expect { kind, span }),
        };
        item.unwrap_or(TestItem::Error(span))
    }

    fn test_request(&mut self, node: Node<'t>) -> Option<TestItem> {
        let span = self.span(&node);
        let mut inner = parts(node).skip(1);
        let method = inner.next()?;
        let method = Spanned::new(Method::from_text(method.as_str()), self.span(&method));
        let url = inner.next()?;
        let url = Spanned::new(url.as_str().to_owned(), self.span(&url));
        let fields = inner.filter_map(|field| self.test_field(field)).collect();
        Some(TestItem::Request { method, url, fields, span })
    }

    fn test_field(&mut self, node: Node<'t>) -> Option<TestField> {
        let mut inner = parts(node);
        let target = self.lvalue(inner.next()?);
        Some(TestField { target, value: self.expr(inner.next()?) })
    }

    fn test_upstream(&mut self, node: Node<'t>) -> Option<TestItem> {
        let span = self.span(&node);
        let (mut target, mut status, mut fields, mut failure) = (None, None, Vec::new(), None);
        for part in parts(node) {
            match part.as_rule() {
                Rule::mod_path => target = Some(self.mod_path(part)),
                Rule::int => status = Some(self.number(&part, 200)),
                Rule::t_field => fields.extend(self.test_field(part)),
                Rule::ident => failure = Some(self.ident(&part)),
                _ => {}
            }
        }
        let outcome = match failure {
            Some(failure) => Outcome::Fails(failure),
            None => Outcome::Responds { status: status?, fields },
        };
        Some(TestItem::Upstream { target, outcome, span })
    }

    fn expected(&mut self, node: Node<'t>) -> Option<Expected> {
        let mut inner = parts(node).skip(1);
        let word = inner.next()?;
        Some(match word.as_rule() {
            Rule::k_route => Expected::Route(self.mod_path(inner.next()?)),
            Rule::k_upstream => Expected::Upstream(self.upstream_target(inner.next()?)),
            Rule::k_redirect => {
                let status = self.number(&inner.next()?, 302);
                let to = inner.next()?;
                let to = if to.as_rule() == Rule::url {
                    ExpectedLocation::Url(Spanned::new(to.as_str().to_owned(), self.span(&to)))
                } else {
                    ExpectedLocation::Expr(self.expr(to))
                };
                Expected::Redirect { status, to }
            }
            Rule::k_status => Expected::Status(self.number(&inner.next()?, 200)),
            _ => Expected::Condition(self.expr(word)),
        })
    }

    pub(in crate::parse) fn claim(&mut self, node: Node<'t>) -> Claim {
        let span = self.span(&node);
        self.claim_parts(node).unwrap_or(Claim::Error(span))
    }

    fn claim_parts(&mut self, node: Node<'t>) -> Option<Claim> {
        let span = self.span(&node);
        let mut inner = parts(node);
        let word = inner.next()?.as_rule();
        let condition = self.expr(inner.next()?);
        // `reaches` or `gets`
        inner.next()?;
        let what = inner.next()?;
        if word == Rule::k_never {
            let target = inner.next()?;
            let reaches = match (what.as_rule(), target.as_rule()) {
                (Rule::k_route, _) => Reaches::Route(self.mod_path(target)),
                (_, Rule::k_any) => Reaches::Upstream(None),
                _ => Reaches::Upstream(Some(self.mod_path(target))),
            };
            return Some(Claim::Never { condition, reaches, span });
        }
        let gets = if what.as_rule() == Rule::k_status {
            Gets::Status(self.number(&inner.next()?, 200))
        } else {
            Gets::Condition(self.expr(what))
        };
        Some(Claim::Always { condition, gets, span })
    }
}
