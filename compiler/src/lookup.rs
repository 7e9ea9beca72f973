//! Constant maps at work: a key that is read from the request leads to a text or a number, or to nothing.
//!
//! Keys are texts in the form that values have when they are written; numbers and addresses are written first. A key
//! that would have to be joined from pieces is put together on the stack: nothing here allocates.

use crate::abi::View;
use crate::core;
use crate::limits::KEY_BYTES_MAX;
use crate::predicate::text::{Got, Operand};
use crate::text_map::TextMap;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// A constant map as the engine asks it.
#[derive(Clone)]
pub struct Table(Arc<Content>);

struct Content {
    id: u32,
    name: String,
    keys: TextMap,
    /// The entries' values by the number that a key leads to.
    values: Values,
}

enum Values {
    Texts(Vec<Box<[u8]>>),
    Ints(Vec<i64>),
}

impl Table {
    pub(crate) fn new(table: &core::Table) -> Table {
        let keys: Vec<&[u8]> = table.keys().map(str::as_bytes).collect();
        let values = match table.values() {
            core::TableValues::Texts(texts) => {
                Values::Texts(texts.iter().map(|text| text.as_bytes().into()).collect())
            }
            core::TableValues::Ints(numbers) => Values::Ints(numbers.clone()),
            core::TableValues::Keys => Values::Texts(keys.iter().map(|key| (*key).into()).collect()),
        };
        let keys = TextMap::new(keys.into_iter().zip(0..));
        Table(Arc::new(Content { id: table.id(), name: table.name().to_owned(), keys, values }))
    }

    /// How dumps call it.
    pub(crate) fn name(&self) -> &str {
        &self.0.name
    }

    /// Whether there is an entry of this key.
    pub(crate) fn has(&self, key: &[u8]) -> bool {
        self.0.keys.get(key).is_some()
    }

    /// The text of a key.
    pub(crate) fn text(&self, key: &[u8]) -> Option<&[u8]> {
        let number = self.0.keys.get(key)?;
        match &self.0.values {
            Values::Texts(texts) => texts.get(number as usize).map(AsRef::as_ref),
            Values::Ints(_) => None,
        }
    }

    /// Appends what a key leads to in its written form; false when there is no entry.
    pub(crate) fn write(&self, key: &[u8], out: &mut Vec<u8>) -> bool {
        use std::io::Write as _;
        if let Some(text) = self.text(key) {
            out.extend_from_slice(text);
            return true;
        }
        let Some(number) = self.int(key) else { return false };
        // Writing to a Vec cannot fail.
        drop(write!(out, "{number}"));
        true
    }

    /// Bytes of the longest value, in its written form.
    pub(crate) fn longest(&self) -> u64 {
        let longest = match &self.0.values {
            Values::Texts(texts) => texts.iter().map(|text| text.len()).max(),
            Values::Ints(numbers) => numbers.iter().map(|number| number.to_string().len()).max(),
        };
        longest.unwrap_or(0) as u64
    }

    /// The number of a key.
    pub(crate) fn int(&self, key: &[u8]) -> Option<i64> {
        let number = self.0.keys.get(key)?;
        match &self.0.values {
            Values::Ints(numbers) => numbers.get(number as usize).copied(),
            Values::Texts(_) => None,
        }
    }
}

/// Tables are equal when they are the same one.
impl PartialEq for Table {
    fn eq(&self, other: &Table) -> bool {
        self.0.id == other.0.id
    }
}

impl Eq for Table {}

impl Hash for Table {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.id.hash(state);
    }
}

impl fmt::Debug for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.name)
    }
}

/// A constant map and the key to look for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Lookup {
    pub(crate) table: Table,
    pub(crate) key: Box<Operand>,
}

impl Lookup {
    /// Whether there is an entry.
    pub(crate) fn found(&self, view: &View<'_>) -> bool {
        self.with_key(view, |key| self.table.has(key)).unwrap_or(false)
    }

    /// The text that the key leads to.
    pub(crate) fn text(&self, view: &View<'_>) -> Option<&[u8]> {
        self.with_key(view, |key| self.table.text(key)).flatten()
    }

    /// The number that the key leads to.
    pub(crate) fn int(&self, view: &View<'_>) -> Option<i64> {
        self.with_key(view, |key| self.table.int(key)).flatten()
    }

    /// Hands the key to `f`, unless it is absent or longer than any key of a map can be.
    fn with_key<R>(&self, view: &View<'_>, f: impl FnOnce(&[u8]) -> R) -> Option<R> {
        match self.key.get(view)? {
            Got::Slice(key) => Some(f(key)),
            joined @ Got::Joined(..) => {
                let mut buffer = [0u8; KEY_BYTES_MAX];
                let len = joined.copy(&mut buffer)?;
                Some(f(&buffer[..len]))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Read;
    use crate::predicate::text::Piece;

    fn table() -> Table {
        let keys = vec!["/a".to_owned(), "/b".to_owned(), "x".repeat(KEY_BYTES_MAX)];
        Table::new(&core::Table::new(0, "t", keys, core::TableValues::Ints(vec![7, -1, 3])))
    }

    #[test]
    fn keys_are_found_where_they_lie_and_where_they_are_joined() {
        let mut view = View::new(&[]);
        assert!(view.set_path(b"/b"));
        let lookup = |key| Lookup { table: table(), key: Box::new(key) };
        assert_eq!(lookup(Operand::Read(Read::Path)).int(&view), Some(-1));
        assert_eq!(lookup(Operand::Read(Read::QueryString)).int(&view), None);
        let joined = |end: &str| {
            let pieces = [Piece::Literal(b"/".as_slice().into()), Piece::Literal(end.as_bytes().into())];
            Operand::Joined(pieces.into())
        };
        assert_eq!(lookup(joined("a")).int(&view), Some(7));
        assert!(!lookup(joined("c")).found(&view));
        // One byte more than any key can have.
        assert!(!lookup(joined(&"x".repeat(KEY_BYTES_MAX))).found(&view));
        assert_eq!(lookup(joined("a")).text(&view), None);
    }
}
