//! Which header, query and cookie fields a program reads, and where their values go.

use crate::plan::{Slot, SlotId};
use crate::text_map::TextMap;

/// Finds the slot of a field's name, or quickly that nobody reads it.
#[derive(Debug, Default)]
pub struct SlotIndex {
    headers: TextMap,
    queries: TextMap,
    cookies: TextMap,
    len: usize,
}

impl SlotIndex {
    /// The index of these slots: their numbers are their places.
    pub fn new(slots: &[Slot]) -> SlotIndex {
        let mut headers = Vec::new();
        let mut queries = Vec::new();
        let mut cookies = Vec::new();
        for (number, slot) in (0u32..).zip(slots) {
            match slot {
                Slot::Header(name) => headers.push((name.as_bytes(), number)),
                Slot::Query(name) => queries.push((name.as_bytes(), number)),
                Slot::Cookie(name) => cookies.push((name.as_bytes(), number)),
            }
        }
        SlotIndex {
            headers: TextMap::new(headers),
            queries: TextMap::new(queries),
            cookies: TextMap::new(cookies),
            len: slots.len(),
        }
    }

    /// The slot of a header field; case does not matter (RFC 9110, section 5.1).
    pub fn header(&self, name: &[u8]) -> Option<SlotId> {
        self.headers.get_folded(name).and_then(slot_id)
    }

    /// The slot of a query field, by its normalised name.
    pub fn query(&self, name: &[u8]) -> Option<SlotId> {
        self.queries.get(name).and_then(slot_id)
    }

    /// The slot of a cookie.
    pub fn cookie(&self, name: &[u8]) -> Option<SlotId> {
        self.cookies.get(name).and_then(slot_id)
    }

    /// How many slots there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether the program reads no such field at all.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Whether it is worth to split the query.
    pub fn reads_query(&self) -> bool {
        self.queries.iter().next().is_some()
    }

    /// Whether it is worth to split cookies.
    pub fn reads_cookies(&self) -> bool {
        self.cookies.iter().next().is_some()
    }
}

fn slot_id(number: u32) -> Option<SlotId> {
    SlotId::try_from(number).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_to_their_slots() {
        let slots =
            [Slot::Header("x-a".to_owned()), Slot::Query("a".to_owned()), Slot::Header("x-b".to_owned())];
        let index = SlotIndex::new(&slots);
        assert_eq!(
            [index.header(b"X-A"), index.header(b"x-b"), index.header(b"x-c")],
            [Some(0), Some(2), None]
        );
        assert_eq!([index.query(b"a"), index.query(b"A")], [Some(1), None]);
        assert_eq!((index.cookie(b"a"), index.len()), (None, 3));
        assert_eq!((index.reads_query(), index.reads_cookies()), (true, false));
    }
}
