//! The texts of a program: the entry file, its modules and its data files, by the number that places carry.

use crate::Span;
use std::sync::Arc;

/// A text with its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// What diagnostics call it, most often its path.
    pub name: String,
    /// The text itself; shared, because data files are read by more than one.
    pub text: Arc<str>,
}

/// All texts of a program. The entry file has number 0, modules follow in the order they were found, then data files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sources {
    list: Vec<Source>,
}

impl Sources {
    /// Only an entry file.
    pub fn of_entry(name: impl Into<String>, text: impl Into<Arc<str>>) -> Sources {
        Sources { list: vec![Source { name: name.into(), text: text.into() }] }
    }

    /// The text that a place is in; `None` for places of another program.
    pub fn get(&self, source: u16) -> Option<&Source> {
        self.list.get(usize::from(source))
    }

    /// All texts in the order of their numbers.
    pub fn iter(&self) -> impl Iterator<Item = &Source> {
        self.list.iter()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The text of a place; empty for a place of another program.
    pub fn slice(&self, span: Span) -> &str {
        self.get(span.source).and_then(|source| source.text.get(span.range())).unwrap_or_default()
    }

    /// Adds a text; `None` when there are as many as numbers.
    pub(crate) fn push(&mut self, source: Source) -> Option<u16> {
        let number = u16::try_from(self.list.len()).ok()?;
        self.list.push(source);
        Some(number)
    }

    /// Bytes of all texts.
    pub(crate) fn bytes(&self) -> usize {
        self.list.iter().map(|source| source.text.len()).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::{Source, Sources};
    use crate::Span;

    #[test]
    fn places_lead_to_their_text() {
        let mut sources = Sources::of_entry("a.twp", "edition 1");
        let number = sources.push(Source { name: "b.twp".to_owned(), text: "rule b".into() });
        assert_eq!((number, sources.len(), sources.bytes()), (Some(1), 2, 15));
        assert_eq!(sources.slice(Span { source: 1, start: 5, end: 6 }), "b");
        assert_eq!(sources.slice(Span { source: 1, start: 5, end: 60 }), "");
        assert_eq!(sources.get(2), None);
    }
}
