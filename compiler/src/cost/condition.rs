//! The worst case of one condition: every part that some request makes it look at.

use super::{Cost, Meter};
use crate::capture::Class;
use crate::core::TextTest;
use crate::ir::CaptureId;
use crate::plan::Read;
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
            Cond::IsSome(_) | Cond::TextOrder { .. } | Cond::IntOrder { .. } | Cond::IpOrder { .. } => {
                Cost::TEST
            }
            Cond::TextTest { op: TextTest::StartsWith | TextTest::EndsWith, .. } => Cost::TEST,
            Cond::TextTest { op: TextTest::Contains, left, .. } => Cost::TEST + search(self.operand(left)),
            Cond::TextAny { value, any } if any.op() == TextTest::Contains => {
                Cost::TEST + search(self.operand(value))
            }
            Cond::TextAny { .. } | Cond::TextIn { .. } | Cond::IntIn { .. } | Cond::IpIn { .. } => {
                Cost::TEST + Cost::PROBE
            }
            Cond::Regex { value, .. } => Cost::TEST + regex(self.operand(value)),
            Cond::Glob { value, glob } => {
                Cost::TEST + search(self.operand(value).saturating_mul(glob.passes() as u64))
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
        };
        match operand {
            Operand::Literal(text) => text.len() as u64,
            Operand::Read(read) => self.length(*read),
            // Path and query of a target are one text, which has a limit of its own.
            Operand::Joined(pieces) if is_target(pieces) => self.lengths.target_bytes_max,
            Operand::Joined(pieces) => pieces.iter().map(piece).fold(0, u64::saturating_add),
        }
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
