//! The worst case of one condition: every part that some request makes it look at.

use super::{Cost, Meter};
use crate::capture::Class;
use crate::core::TextTest;
use crate::ir::CaptureId;
use crate::lookup::Lookup;
use crate::plan::{IntExpr, Read};
use crate::predicate::Cond;
use crate::predicate::text::{Operand, Piece};

/// Characters of the longest number and the longest address.
const NUMBER_BYTES_MAX: u64 = 20;
const ADDRESS_BYTES_MAX: u64 = 45;

impl Meter<'_> {
    /// All parts of `and` and `or`, the longer branch of `if`.
    pub(super) fn condition(&self, cond: &Cond) -> Cost {
        match cond {
            Cond::Always(_) => Cost::default(),
            Cond::Not(inner) => self.condition(inner),
            Cond::All(parts) | Cond::Any(parts) => {
                parts.iter().map(|part| self.condition(part)).fold(Cost::default(), |sum, part| sum + part)
            }
            Cond::If(parts) => {
                let [condition, then, otherwise] = parts.as_ref();
                self.condition(condition) + self.condition(then).max(self.condition(otherwise))
            }
            Cond::IsSome(_) | Cond::IpOrder { .. } => Cost::TEST,
            Cond::Found(lookup) => Cost::TEST + lookup_cost(lookup),
            Cond::TextOrder { left, right, .. }
            | Cond::TextTest { op: TextTest::StartsWith | TextTest::EndsWith, left, right } => {
                Cost::TEST + lookups(left) + lookups(right)
            }
            Cond::IntOrder { left, right, .. } => Cost::TEST + int_lookups(left) + int_lookups(right),
            Cond::TextTest { op: TextTest::Contains, left, right } => {
                Cost::TEST + lookups(left) + lookups(right) + search(self.operand(left))
            }
            Cond::TextAny { value, any } if any.op() == TextTest::Contains => {
                Cost::TEST + lookups(value) + search(self.operand(value))
            }
            Cond::TextAny { value, .. } | Cond::TextIn { value, .. } => {
                Cost::TEST + lookups(value) + Cost::PROBE
            }
            Cond::IntIn { value, .. } => Cost::TEST + int_lookups(value) + Cost::PROBE,
            Cond::IpIn { .. } => Cost::TEST + Cost::PROBE,
            Cond::Regex { value, .. } => Cost::TEST + lookups(value) + regex(self.operand(value)),
            Cond::Glob { value, glob } => {
                let passes = glob.passes() as u64;
                Cost::TEST + lookups(value) + search(self.operand(value).saturating_mul(passes))
            }
        }
    }

    /// A segment tried as a typed capture.
    pub(super) fn capture(&self, id: CaptureId) -> Cost {
        match self.ir.captures.get(id as usize).map(|capture| capture.class) {
            Some(Class::Regex(_)) => {
                Cost::TEST + regex(self.length(Read::Segment { index: 0, skip: 0, trim: 0 }))
            }
            Some(Class::Segment | Class::Int | Class::Uuid | Class::Slug | Class::Hex) => Cost::TEST,
            None => Cost::default(),
        }
    }

    /// The longest text that an operand may be.
    fn operand(&self, operand: &Operand) -> u64 {
        let piece = |piece: &Piece| match piece {
            Piece::Literal(text) => text.len() as u64,
            Piece::Read(read) => self.length(*read),
            Piece::Int(_) => NUMBER_BYTES_MAX,
            Piece::ClientIp => ADDRESS_BYTES_MAX,
            Piece::QuestionMark => 1,
            Piece::Lookup(lookup) => lookup.table.longest(),
        };
        match operand {
            Operand::Literal(text) => text.len() as u64,
            Operand::Read(read) => self.length(*read),
            // Path and query of a target are one text, which has a limit of its own.
            Operand::Joined(pieces) if is_target(pieces) => self.lengths.target_bytes_max,
            Operand::Joined(pieces) => pieces.iter().map(piece).fold(0, u64::saturating_add),
            Operand::Lookup(lookup) => lookup.table.longest(),
            Operand::Absent => 0,
        }
    }
}

/// Looking for a key, and for what the key is made of.
pub(super) fn lookup_cost(lookup: &Lookup) -> Cost {
    Cost::PROBE + lookups(&lookup.key)
}

fn lookups(operand: &Operand) -> Cost {
    let piece = |piece: &Piece| match piece {
        Piece::Lookup(lookup) => lookup_cost(lookup),
        Piece::Int(number) => int_lookups(number),
        Piece::Literal(_) | Piece::Read(_) | Piece::ClientIp | Piece::QuestionMark => Cost::default(),
    };
    match operand {
        Operand::Lookup(lookup) => lookup_cost(lookup),
        Operand::Joined(pieces) => pieces.iter().map(piece).fold(Cost::default(), |sum, part| sum + part),
        Operand::Literal(_) | Operand::Read(_) | Operand::Absent => Cost::default(),
    }
}

pub(super) fn int_lookups(number: &IntExpr) -> Cost {
    match number {
        IntExpr::Lookup(lookup) => lookup_cost(lookup),
        IntExpr::Arithmetic { left, right, .. } => int_lookups(left) + int_lookups(right),
        IntExpr::Value(_) | IntExpr::Port | IntExpr::Capture(_) | IntExpr::Absent => Cost::default(),
    }
}

fn is_target(pieces: &[Piece]) -> bool {
    matches!(pieces, [Piece::Read(Read::Path), Piece::QuestionMark, Piece::Read(Read::QueryString)])
}

fn regex(bytes: u64) -> Cost {
    Cost { regex_bytes: bytes, ..Cost::NONE }
}

fn search(bytes: u64) -> Cost {
    Cost { search_bytes: bytes, ..Cost::NONE }
}
