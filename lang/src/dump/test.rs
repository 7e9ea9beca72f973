//! Tests and invariants, one line each.

use super::{Dump, text};
use crate::ast::{Claim, Expected, ExpectedLocation, Gets, Outcome, Reaches, TestField, TestItem};

impl Dump {
    pub(super) fn test_item(&mut self, item: &TestItem) {
        match item {
            TestItem::Request { method, url, fields, span } => {
                self.line(Some(*span), &format!("request {} {}", method.value, url.value));
                self.fields(fields);
            }
            TestItem::Upstream { target, outcome, span } => {
                let target =
                    target.as_ref().map(|path| format!(" {}", text::module(path))).unwrap_or_default();
                match outcome {
                    Outcome::Responds { status, fields } => {
                        self.line(Some(*span), &format!("upstream{target} responds {}", status.value));
                        self.fields(fields);
                    }
                    Outcome::Fails(failure) => {
                        self.line(Some(*span), &format!("upstream{target} fails {}", failure.value));
                    }
                }
            }
            TestItem::FilesLack(path) => self.line(Some(path.span), &format!("files lack {}", path.value)),
            TestItem::Expect { kind, span } => self.expected(kind, *span),
            TestItem::Error(span) => self.line(Some(*span), "error"),
        }
    }

    fn fields(&mut self, fields: &[TestField]) {
        self.inside(|out| {
            for field in fields {
                out.with(None, "=", &[&field.target, &field.value]);
            }
        });
    }

    fn expected(&mut self, kind: &Expected, span: crate::Span) {
        let at = Some(span);
        match kind {
            Expected::Route(path) => self.line(at, &format!("expect route {}", text::module(path))),
            Expected::Upstream(target) => {
                self.line(at, &format!("expect upstream {}", text::upstream(target)));
            }
            Expected::Redirect { status, to: ExpectedLocation::Url(url) } => {
                self.line(at, &format!("expect redirect {} {}", status.value, url.value));
            }
            Expected::Redirect { status, to: ExpectedLocation::Expr(to) } => {
                self.with(at, &format!("expect redirect {}", status.value), &[to]);
            }
            Expected::Status(status) => self.line(at, &format!("expect status {}", status.value)),
            Expected::Condition(condition) => self.with(at, "expect", &[condition]),
        }
    }

    pub(super) fn claim(&mut self, claim: &Claim) {
        match claim {
            Claim::Never { condition, reaches, span } => {
                let reaches = match reaches {
                    Reaches::Upstream(None) => "upstream any".to_owned(),
                    Reaches::Upstream(Some(path)) => format!("upstream {}", text::module(path)),
                    Reaches::Route(path) => format!("route {}", text::module(path)),
                };
                self.with(Some(*span), &format!("never reaches {reaches}"), &[condition]);
            }
            Claim::Always { condition, gets: Gets::Status(status), span } => {
                self.with(Some(*span), &format!("always gets status {}", status.value), &[condition]);
            }
            Claim::Always { condition, gets: Gets::Condition(gets), span } => {
                self.with(Some(*span), "always gets", &[condition, gets]);
            }
            Claim::Error(span) => self.line(Some(*span), "error"),
        }
    }
}
