//! Conditions as text.

use super::text::{Operand, Piece};
use super::{Cond, Conditions, IpOperand};
use crate::lookup::Lookup;
use crate::plan::{IntExpr, Read, Slot};
use std::net::{IpAddr, Ipv6Addr};
use twp_lang::hir::Arithmetic;

/// What printing needs to name things.
#[derive(Clone, Copy)]
pub(crate) struct Names<'a> {
    pub(crate) conditions: &'a Conditions,
    pub(crate) slots: &'a [Slot],
}

impl Names<'_> {
    /// A condition.
    pub(crate) fn cond(self, cond: &Cond) -> String {
        match cond {
            Cond::Always(value) => value.to_string(),
            Cond::Not(inner) => format!("not {}", self.cond(inner)),
            Cond::All(parts) => format!("({})", self.conds(parts, " and ")),
            Cond::Any(parts) => format!("({})", self.conds(parts, " or ")),
            Cond::If(parts) => {
                let [condition, then, otherwise] = parts.as_ref();
                format!(
                    "(if {} then {} else {})",
                    self.cond(condition),
                    self.cond(then),
                    self.cond(otherwise)
                )
            }
            Cond::IsSome(read) => format!("{}.is_some", self.read(*read)),
            Cond::Found(lookup) => format!("{}.is_some", self.lookup(lookup)),
            Cond::TextOrder { op, left, right } => {
                format!("{} {op} {}", self.operand(left), self.operand(right))
            }
            Cond::TextTest { op, left, right } => {
                format!("{} {op} {}", self.operand(left), self.operand(right))
            }
            Cond::TextAny { value, any } => {
                let texts: Vec<String> = any.texts().map(quoted).collect();
                format!("{} {} any of [{}]", self.operand(value), any.op(), texts.join(", "))
            }
            Cond::TextIn { value, set } => {
                let texts: Vec<String> = set.texts().map(quoted).collect();
                format!("{} in [{}]", self.operand(value), texts.join(", "))
            }
            Cond::Regex { value, regex } => {
                let pattern = self.conditions.regexes.table(*regex).map_or("", |table| table.pattern());
                format!("{} matches {pattern}", self.operand(value))
            }
            Cond::Glob { value, glob } => format!("{} matches glob{:?}", self.operand(value), glob.text()),
            Cond::IntOrder { op, left, right } => format!("{} {op} {}", self.int(left), self.int(right)),
            Cond::IntIn { value, set } => {
                let ranges: Vec<String> = set.ranges().iter().map(|(a, b)| format!("{a}..{b}")).collect();
                format!("{} in [{}]", self.int(value), ranges.join(", "))
            }
            Cond::IpOrder { op, left, right } => format!("{} {op} {}", ip(*left), ip(*right)),
            Cond::IpIn { value, set } => {
                let pair = |(a, b): &(u128, u128)| format!("{}..{}", addr(*a), addr(*b));
                let intervals: Vec<String> = set.intervals().iter().map(pair).collect();
                format!("{} in [{}]", ip(*value), intervals.join(", "))
            }
        }
    }

    fn conds(self, parts: &[Cond], between: &str) -> String {
        parts.iter().map(|part| self.cond(part)).collect::<Vec<String>>().join(between)
    }

    /// A number.
    pub(crate) fn int(self, number: &IntExpr) -> String {
        match number {
            IntExpr::Value(value) => value.to_string(),
            IntExpr::Lookup(lookup) => self.lookup(lookup),
            IntExpr::Absent => "absent".to_owned(),
            IntExpr::Port => self.read(Read::Port),
            IntExpr::Capture(read) => format!("int({})", self.read(*read)),
            IntExpr::Arithmetic { op, left, right } => {
                let sign = match op {
                    Arithmetic::Add => '+',
                    Arithmetic::Subtract => '-',
                    Arithmetic::Multiply => '*',
                };
                format!("({} {sign} {})", self.int(left), self.int(right))
            }
        }
    }

    fn operand(self, operand: &Operand) -> String {
        match operand {
            Operand::Literal(text) => quoted(text),
            Operand::Read(read) => self.read(*read),
            Operand::Lookup(lookup) => self.lookup(lookup),
            Operand::Absent => "absent".to_owned(),
            Operand::Joined(pieces) => {
                let piece = |piece: &Piece| match piece {
                    Piece::Literal(text) => quoted(text),
                    Piece::Read(read) => self.read(*read),
                    Piece::Int(number) => self.int(number),
                    Piece::Lookup(lookup) => self.lookup(lookup),
                    Piece::ClientIp => self.read(Read::ClientIp),
                    Piece::QuestionMark => "question_mark".to_owned(),
                };
                format!("join({})", pieces.iter().map(piece).collect::<Vec<String>>().join(", "))
            }
        }
    }

    fn lookup(self, lookup: &Lookup) -> String {
        format!("{}[{}]", lookup.table.name(), self.operand(&lookup.key))
    }

    /// A part of the request.
    pub(crate) fn read(self, read: Read) -> String {
        match read {
            Read::Method => "method".to_owned(),
            Read::Scheme => "scheme".to_owned(),
            Read::Host => "host".to_owned(),
            Read::Port => "port".to_owned(),
            Read::Path => "path".to_owned(),
            Read::QueryString => "query_string".to_owned(),
            Read::Target => "target".to_owned(),
            Read::ClientIp => "client_ip".to_owned(),
            Read::Slot(slot) => {
                self.slots.get(usize::from(slot)).map_or_else(|| format!("slot {slot}"), Slot::to_string)
            }
            Read::Segment { index, skip: 0, trim: 0 } => format!("segment {index}"),
            Read::Segment { index, skip, trim } => format!("segment {index} but {skip} and {trim} bytes"),
            Read::Rest(index) => format!("rest {index}"),
            Read::HostLabel => "host_label".to_owned(),
        }
    }
}

/// Bytes between quotes.
pub(crate) fn quoted(text: &[u8]) -> String {
    format!("{:?}", String::from_utf8_lossy(text))
}

fn ip(operand: IpOperand) -> String {
    match operand {
        IpOperand::Literal(number) => addr(number).to_string(),
        IpOperand::Client => "client_ip".to_owned(),
    }
}

fn addr(number: u128) -> IpAddr {
    IpAddr::V6(Ipv6Addr::from_bits(number)).to_canonical()
}
