//! The filter chain of a route: runs its effects once, before anything is sent, and gathers what changes on either
//! message.
//!
//! Values are taken when their statement is reached, from the request as it arrived; they are kept as text because
//! the request's bytes make room for its body before the response comes.

use crate::wire::h1::encode::{ChangeOp, FieldChange};
use std::ops::Range;
use twp_compiler::abi::View;
use twp_compiler::plan::{Effect, Message, PredicateId, Value};

/// Changes gathered in a slice on the stack; routes with more of them use the heap.
const CHANGES_ON_STACK: usize = 16;

/// What a route changes. Reused from exchange to exchange.
#[derive(Debug, Default)]
pub(crate) struct Changes {
    request: Vec<Change>,
    response: Vec<Change>,
    /// Sends this path.
    path: Option<Range<usize>>,
    /// Sends this authority.
    host: Option<Range<usize>>,
    /// Removes leading segments from the path that is sent.
    strip: usize,
    text: Vec<u8>,
}

/// A change of a field; its texts lie in [`Changes::text`].
#[derive(Debug)]
struct Change {
    op: ChangeOp,
    name: Range<usize>,
    value: Range<usize>,
}

impl Changes {
    /// Forgets all changes.
    pub(crate) fn clear(&mut self) {
        self.request.clear();
        self.response.clear();
        self.path = None;
        self.host = None;
        self.strip = 0;
        self.text.clear();
    }

    /// Takes over one effect that is reached. `test` answers conditions of values.
    pub(crate) fn apply(&mut self, effect: &Effect, view: &View<'_>, test: &dyn Fn(PredicateId) -> bool) {
        match effect {
            Effect::Set { message, name, value } => {
                let value = self.write(value, view, test);
                self.push(*message, ChangeOp::Set, name, value);
            }
            Effect::Add { message, name, value } => {
                let value = self.write(value, view, test);
                self.push(*message, ChangeOp::Add, name, value);
            }
            Effect::Remove { message, name } => self.push(*message, ChangeOp::Remove, name, 0..0),
            Effect::RewritePath(value) => self.path = Some(self.write(value, view, test)),
            Effect::RewriteHost(value) => self.host = Some(self.write(value, view, test)),
            Effect::StripSegments(count) => self.strip = usize::from(*count),
            // Steps of the walk, not changes.
            Effect::SkipUnless { .. } | Effect::Skip { .. } | Effect::End(_) => {}
        }
    }

    /// The path to send: rewritten, or without the segments to strip.
    pub(crate) fn path<'a>(&'a self, view: &View<'a>) -> &'a [u8] {
        match &self.path {
            Some(range) => self.slice(range),
            None if self.strip == 0 => view.path().or_empty(),
            None => {
                let path = view.path().or_empty();
                let at = view.segment_start(self.strip);
                match path.get(at..) {
                    Some(rest) if !rest.is_empty() => rest,
                    // Stripping all segments leaves the root.
                    Some(_) | None => b"/",
                }
            }
        }
    }

    /// The authority to send, when it is rewritten.
    pub(crate) fn host(&self) -> Option<&[u8]> {
        self.host.as_ref().map(|range| self.slice(range))
    }

    /// Hands the changes of the request to `f`.
    pub(crate) fn with_request<T>(&self, f: impl FnOnce(&[FieldChange<'_>]) -> T) -> T {
        self.with(&self.request, f)
    }

    /// Hands the changes of the response to `f`.
    pub(crate) fn with_response<T>(&self, f: impl FnOnce(&[FieldChange<'_>]) -> T) -> T {
        self.with(&self.response, f)
    }

    fn push(&mut self, message: Message, op: ChangeOp, name: &str, value: Range<usize>) {
        let start = self.text.len();
        self.text.extend_from_slice(name.as_bytes());
        let name = start..self.text.len();
        match message {
            Message::Request => self.request.push(Change { op, name, value }),
            Message::Response => self.response.push(Change { op, name, value }),
        }
    }

    fn write(&mut self, value: &Value, view: &View<'_>, test: &dyn Fn(PredicateId) -> bool) -> Range<usize> {
        let start = self.text.len();
        value.write(view, test, &mut self.text);
        start..self.text.len()
    }

    fn with<T>(&self, changes: &[Change], f: impl FnOnce(&[FieldChange<'_>]) -> T) -> T {
        let borrow = |change: &Change| FieldChange {
            op: change.op,
            name: self.slice(&change.name),
            value: self.slice(&change.value),
        };
        if changes.len() > CHANGES_ON_STACK {
            return f(&changes.iter().map(borrow).collect::<Vec<_>>());
        }
        let mut slots = [FieldChange { op: ChangeOp::Remove, name: b"", value: b"" }; CHANGES_ON_STACK];
        for (slot, change) in slots.iter_mut().zip(changes) {
            *slot = borrow(change);
        }
        f(&slots[..changes.len()])
    }

    fn slice(&self, range: &Range<usize>) -> &[u8] {
        self.text.get(range.clone()).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use twp_compiler::plan::Read;

    fn applied(effects: &[Effect], path: &[u8]) -> (String, Vec<String>) {
        let mut view = View::new(&[]);
        assert!(view.set_path(path));
        let mut changes = Changes::default();
        for effect in effects {
            changes.apply(effect, &view, &|_| true);
        }
        let show = |changes: &[FieldChange<'_>]| {
            let line = |change: &FieldChange<'_>| {
                let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
                format!("{:?} {}={}", change.op, text(change.name), text(change.value))
            };
            changes.iter().map(line).collect()
        };
        let path = String::from_utf8_lossy(changes.path(&view)).into_owned();
        (path, changes.with_request(show))
    }

    #[test]
    fn later_rewrites_win_and_strip_leaves_a_path() {
        assert_eq!(applied(&[Effect::StripSegments(1)], b"/api/users").0, "/users");
        assert_eq!(applied(&[Effect::StripSegments(2)], b"/api/users").0, "/");
        assert_eq!(applied(&[Effect::StripSegments(1)], b"/api/").0, "/");
        let literal = |text: &str| Effect::RewritePath(Value::Literal(text.to_owned()));
        assert_eq!(applied(&[literal("/a"), literal("/b")], b"/api").0, "/b");
    }

    #[test]
    fn values_are_kept_in_order_also_beyond_the_stack() {
        let set = |n: usize| Effect::Set {
            message: Message::Request,
            name: format!("x-{n}"),
            value: Value::Join(vec![Value::Literal("p=".to_owned()), Value::Read(Read::Path)]),
        };
        for n in [1, CHANGES_ON_STACK, CHANGES_ON_STACK + 1] {
            let (_, changes) = applied(&(0..n).map(set).collect::<Vec<_>>(), b"/x");
            let want: Vec<_> = (0..n).map(|n| format!("Set x-{n}=p=/x")).collect();
            assert_eq!(changes, want);
        }
    }
}
