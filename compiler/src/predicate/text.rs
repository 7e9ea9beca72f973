//! Texts that conditions look at: slices of the request, or pieces read as if they were joined.

use super::glob::Glob;
use super::regex::RegexTable;
use crate::abi::View;
use crate::core::{Order, TextTest};
use crate::lookup::Lookup;
use crate::plan::{self, IntExpr, Read};
use std::cmp::Ordering;
use std::io::Write as _;

/// A text of a condition.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Operand {
    /// This text.
    Literal(Box<[u8]>),
    /// A slice of the request.
    Read(Read),
    /// Pieces joined; never absent.
    Joined(Box<[Piece]>),
    /// What a key leads to.
    Lookup(Lookup),
    /// Nothing.
    Absent,
}

/// A piece of a joined text.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Piece {
    /// This text.
    Literal(Box<[u8]>),
    /// A slice of the request; nothing when absent.
    Read(Read),
    /// A number in decimal.
    Int(IntExpr),
    /// The client's address.
    ClientIp,
    /// The question mark of the target, when there is a query.
    QuestionMark,
    /// What a key leads to; nothing when absent.
    Lookup(Lookup),
}

/// The text of an operand for one request.
#[derive(Clone, Copy)]
pub(crate) enum Got<'a> {
    /// It lies in one place.
    Slice(&'a [u8]),
    /// It would have to be joined.
    Joined(&'a [Piece], &'a View<'a>),
}

impl Operand {
    /// The text; `None` when absent.
    pub(crate) fn get<'a>(&'a self, view: &'a View<'a>) -> Option<Got<'a>> {
        match self {
            Operand::Literal(text) => Some(Got::Slice(text)),
            Operand::Read(read) => read.bytes(view).map(Got::Slice),
            Operand::Joined(pieces) => Some(Got::Joined(pieces, view)),
            Operand::Lookup(lookup) => lookup.text(view).map(Got::Slice),
            Operand::Absent => None,
        }
    }
}

/// Whether both texts are present and compare so.
pub(super) fn ordered(op: Order, left: &Operand, right: &Operand, view: &View<'_>) -> bool {
    let (Some(left), Some(right)) = (left.get(view), right.get(view)) else { return false };
    match (op, left, right) {
        (Order::Equal, Got::Slice(left), Got::Slice(right)) => left == right,
        (op, left, right) => op.holds(left.order(&right)),
    }
}

/// Whether both texts are present and the left relates so to the right.
pub(super) fn related(op: TextTest, left: &Operand, right: &Operand, view: &View<'_>) -> bool {
    let (Some(text), Some(part)) = (left.get(view), right.get(view)) else { return false };
    if let (Got::Slice(text), Got::Slice(part)) = (text, part) {
        return match op {
            TextTest::StartsWith => text.starts_with(part),
            TextTest::EndsWith => text.ends_with(part),
            TextTest::Contains => memchr::memmem::find(text, part).is_some(),
        };
    }
    let (text_len, part_len) = (text.len(), part.len());
    let Some(spare) = text_len.checked_sub(part_len) else { return false };
    let stands_at = |at: usize| (0..part_len).all(|i| text.byte(at + i) == part.byte(i));
    match op {
        TextTest::StartsWith => stands_at(0),
        TextTest::EndsWith => stands_at(spare),
        TextTest::Contains => (0..=spare).any(stands_at),
    }
}

impl<'a> Got<'a> {
    pub(super) fn len(&self) -> usize {
        match self {
            Got::Slice(text) => text.len(),
            Got::Joined(pieces, view) => pieces.iter().map(|piece| piece.with(view, <[u8]>::len)).sum(),
        }
    }

    /// Copies the text; the number of its bytes, or `None` when there is not that much room.
    pub(crate) fn copy(&self, out: &mut [u8]) -> Option<usize> {
        let mut len = 0;
        let mut put = |text: &[u8]| {
            out.get_mut(len..len + text.len())?.copy_from_slice(text);
            len += text.len();
            Some(())
        };
        match self {
            Got::Slice(text) => put(text)?,
            Got::Joined(pieces, view) => pieces.iter().try_for_each(|piece| piece.with(view, &mut put))?,
        }
        Some(len)
    }

    /// The byte at a place; 0 past the end.
    fn byte(&self, at: usize) -> u8 {
        match self {
            Got::Slice(text) => text.get(at).copied().unwrap_or(0),
            Got::Joined(pieces, view) => {
                let mut at = at;
                for piece in *pieces {
                    let found = piece.with(view, |text| text.get(at).copied().ok_or(text.len()));
                    match found {
                        Ok(byte) => return byte,
                        Err(len) => at -= len,
                    }
                }
                0
            }
        }
    }

    /// The order of two texts by bytes.
    pub(super) fn order(&self, other: &Got<'a>) -> Ordering {
        if let (Got::Slice(left), Got::Slice(right)) = (self, other) {
            return left.cmp(right);
        }
        let (left_len, right_len) = (self.len(), other.len());
        (0..left_len.min(right_len))
            .map(|i| self.byte(i).cmp(&other.byte(i)))
            .find(|order| order.is_ne())
            .unwrap_or(left_len.cmp(&right_len))
    }

    /// The order of two texts by bytes from the last one on.
    pub(super) fn order_from_end(&self, other: &[u8]) -> Ordering {
        let len = self.len();
        let order = match self {
            Got::Slice(text) => {
                text.iter().rev().zip(other.iter().rev()).map(|(a, b)| a.cmp(b)).find(|o| o.is_ne())
            }
            Got::Joined(..) => {
                let mut bytes = (0..len).rev().map(|at| self.byte(at)).zip(other.iter().rev());
                bytes.find_map(|(a, b)| Some(a.cmp(b)).filter(|order| order.is_ne()))
            }
        };
        order.unwrap_or(len.cmp(&other.len()))
    }

    /// Whether these bytes stand at a place.
    pub(super) fn has_at(&self, at: usize, part: &[u8]) -> bool {
        match self {
            Got::Slice(text) => text.get(at..).is_some_and(|rest| rest.starts_with(part)),
            Got::Joined(..) => {
                at + part.len() <= self.len()
                    && part.iter().zip(at..).all(|(byte, at)| self.byte(at) == *byte)
            }
        }
    }

    /// The bytes one by one.
    pub(super) fn bytes(&self) -> impl Iterator<Item = u8> {
        (0..self.len()).map(|at| self.byte(at))
    }

    /// Whether the whole text matches; not without a table.
    pub(super) fn matches(&self, table: Option<&RegexTable>) -> bool {
        let Some(table) = table else { return false };
        match self {
            Got::Slice(text) => table.matches(text.iter().copied()),
            Got::Joined(..) => table.matches((0..self.len()).map(|i| self.byte(i))),
        }
    }

    /// Whether the whole text matches.
    pub(super) fn matches_glob(&self, glob: &Glob) -> bool {
        match self {
            Got::Slice(text) => glob.matches(text.len(), |i| text[i]),
            Got::Joined(..) => glob.matches(self.len(), |i| self.byte(i)),
        }
    }
}

impl Piece {
    /// Hands the text of the piece to `f`; what has to be written out is written on the stack.
    fn with<R>(&self, view: &View<'_>, f: impl FnOnce(&[u8]) -> R) -> R {
        // The longest number has 20 characters, the longest address 45.
        let mut buf = [0u8; 48];
        let room = buf.len();
        let mut spare = &mut buf[..];
        match self {
            Piece::Literal(text) => return f(text),
            Piece::Read(read) => return f(read.bytes(view).unwrap_or_default()),
            Piece::QuestionMark => return f(if view.query.bytes().is_some() { b"?" } else { b"" }),
            Piece::Lookup(lookup) => return f(lookup.text(view).unwrap_or_default()),
            Piece::Int(number) => {
                if let Some(number) = number.eval(view) {
                    drop(write!(spare, "{number}"));
                }
            }
            Piece::ClientIp => drop(write!(spare, "{}", plan::client_ip(view))),
        }
        let written = room - spare.len();
        f(&buf[..written])
    }
}
