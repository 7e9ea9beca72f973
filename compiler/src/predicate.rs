//! Conditions as the engine asks them: trees of tests on the view, evaluated without allocation.
//!
//! Texts are compared where they lie in the request. A text that is joined from pieces is never put together: tests
//! read it byte by byte through [`text::Got`].

use crate::abi::View;
use crate::core::{Order, TextTest};
use crate::lookup::Lookup;
use crate::plan::{IntExpr, PredicateId, Read};
use glob::Glob;
use many::AnyText;
use regex::{RegexId, RegexTables};
use sets::{IntSet, NetSet, TextSet};
use text::Operand;

pub(crate) mod compile;
pub(crate) mod glob;
pub(crate) mod many;
pub(crate) mod print;
pub(crate) mod regex;
pub(crate) mod sets;
pub(crate) mod text;

/// A condition.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Cond {
    /// Known at compile time.
    Always(bool),
    /// Does not hold.
    Not(Box<Cond>),
    /// All hold.
    All(Vec<Cond>),
    /// At least one holds.
    Any(Vec<Cond>),
    /// The second or third, as the first holds or not.
    If(Box<[Cond; 3]>),
    /// The value is present.
    IsSome(Read),
    /// The map has an entry of the key.
    Found(Lookup),
    /// Two texts are present and compare so.
    TextOrder { op: Order, left: Operand, right: Operand },
    /// Two texts are present and relate so.
    TextTest { op: TextTest, left: Operand, right: Operand },
    /// The text is present and one of several texts stands at its start, at its end or anywhere in it.
    TextAny { value: Operand, any: AnyText },
    /// The text is present and in the set.
    TextIn { value: Operand, set: TextSet },
    /// The text is present and matches as a whole.
    Regex { value: Operand, regex: RegexId },
    /// The text is present and matches as a whole.
    Glob { value: Operand, glob: Glob },
    /// Two numbers are present and compare so.
    IntOrder { op: Order, left: IntExpr, right: IntExpr },
    /// The number is present and in the set.
    IntIn { value: IntExpr, set: IntSet },
    /// Two addresses compare so.
    IpOrder { op: Order, left: IpOperand, right: IpOperand },
    /// The address is in the set.
    IpIn { value: IpOperand, set: NetSet },
}

/// An address, IPv4 as mapped IPv6.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum IpOperand {
    /// This one.
    Literal(u128),
    /// The client's.
    Client,
}

/// All conditions of a program and the tables they use.
#[derive(Debug, Default)]
pub(crate) struct Conditions {
    /// Conditions by [`PredicateId`].
    pub(crate) list: Vec<Cond>,
    /// Regular expressions, shared with captures.
    pub(crate) regexes: RegexTables,
}

impl Conditions {
    /// Whether a condition holds; one that does not exist does not.
    pub(crate) fn test(&self, id: PredicateId, view: &View<'_>) -> bool {
        self.list.get(id as usize).is_some_and(|cond| self.holds(cond, view))
    }

    /// Whether a condition, or a part of one, holds.
    pub(crate) fn holds(&self, cond: &Cond, view: &View<'_>) -> bool {
        match cond {
            Cond::Always(value) => *value,
            Cond::Not(inner) => !self.holds(inner, view),
            Cond::All(parts) => parts.iter().all(|part| self.holds(part, view)),
            Cond::Any(parts) => parts.iter().any(|part| self.holds(part, view)),
            Cond::If(parts) => {
                let [condition, then, otherwise] = parts.as_ref();
                self.holds(if self.holds(condition, view) { then } else { otherwise }, view)
            }
            Cond::IsSome(read) => read.bytes(view).is_some(),
            Cond::Found(lookup) => lookup.found(view),
            Cond::TextOrder { op, left, right } => text::ordered(*op, left, right, view),
            Cond::TextTest { op, left, right } => text::related(*op, left, right, view),
            Cond::TextAny { value, any } => value.get(view).is_some_and(|text| any.holds(&text)),
            Cond::TextIn { value, set } => value.get(view).is_some_and(|text| set.contains(&text)),
            Cond::Regex { value, regex } => {
                value.get(view).is_some_and(|text| text.matches(self.regexes.table(*regex)))
            }
            Cond::Glob { value, glob } => value.get(view).is_some_and(|text| text.matches_glob(glob)),
            Cond::IntOrder { op, left, right } => match (left.eval(view), right.eval(view)) {
                (Some(left), Some(right)) => op.holds(left.cmp(&right)),
                (None, _) | (_, None) => false,
            },
            Cond::IntIn { value, set } => value.eval(view).is_some_and(|number| set.contains(number)),
            Cond::IpOrder { op, left, right } => op.holds(left.number(view).cmp(&right.number(view))),
            Cond::IpIn { value, set } => set.contains(value.number(view)),
        }
    }
}

impl IpOperand {
    fn number(self, view: &View<'_>) -> u128 {
        match self {
            IpOperand::Literal(number) => number,
            IpOperand::Client => u128::from_be_bytes(view.client_ip),
        }
    }
}

/// Conditions combined, with constants applied.
impl Cond {
    pub(crate) fn not(self) -> Cond {
        match self {
            Cond::Always(value) => Cond::Always(!value),
            Cond::Not(inner) => *inner,
            other => Cond::Not(Box::new(other)),
        }
    }

    /// Makes the automata that were left out while conditions were put together.
    pub(crate) fn prepare(&mut self) {
        match self {
            Cond::Not(inner) => inner.prepare(),
            Cond::All(parts) | Cond::Any(parts) => parts.iter_mut().for_each(Cond::prepare),
            Cond::If(parts) => parts.iter_mut().for_each(Cond::prepare),
            Cond::TextAny { any, .. } => any.prepare(),
            Cond::Always(_)
            | Cond::Found(_)
            | Cond::IsSome(_)
            | Cond::TextOrder { .. }
            | Cond::TextTest { .. }
            | Cond::TextIn { .. }
            | Cond::Regex { .. }
            | Cond::Glob { .. }
            | Cond::IntOrder { .. }
            | Cond::IntIn { .. }
            | Cond::IpOrder { .. }
            | Cond::IpIn { .. } => {}
        }
    }

    pub(crate) fn all(parts: Vec<Cond>) -> Cond {
        let mut out = Vec::with_capacity(parts.len());
        for part in parts {
            match part {
                Cond::Always(true) => {}
                Cond::Always(false) => return Cond::Always(false),
                Cond::All(inner) => out.extend(inner),
                part => out.push(part),
            }
        }
        match out.len() {
            0 => Cond::Always(true),
            1 => out.swap_remove(0),
            _ => Cond::All(out),
        }
    }

    pub(crate) fn any(parts: Vec<Cond>) -> Cond {
        let mut out = Vec::with_capacity(parts.len());
        for part in parts {
            match part {
                Cond::Always(false) => {}
                Cond::Always(true) => return Cond::Always(true),
                Cond::Any(inner) => out.extend(inner),
                part => out.push(part),
            }
        }
        let mut out = many::joined(out);
        match out.len() {
            0 => Cond::Always(false),
            1 => out.swap_remove(0),
            _ => Cond::Any(out),
        }
    }

    pub(crate) fn choose(condition: Cond, then: Cond, otherwise: Cond) -> Cond {
        match condition {
            Cond::Always(true) => then,
            Cond::Always(false) => otherwise,
            _ if then == otherwise => then,
            condition => match (then, otherwise) {
                (Cond::Always(true), Cond::Always(false)) => condition,
                (Cond::Always(false), Cond::Always(true)) => condition.not(),
                (Cond::Always(false), otherwise) => Cond::all(vec![condition.not(), otherwise]),
                (then, Cond::Always(false)) => Cond::all(vec![condition, then]),
                (then, otherwise) => Cond::If(Box::new([condition, then, otherwise])),
            },
        }
    }
}
