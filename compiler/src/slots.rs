//! Which header, query and cookie fields a program reads, and where their values go.

use crate::plan::{Slot, SlotId};
use crate::text_map::TextMap;
use perfect::PerfectNames;

mod perfect;

/// Finds the slot of a field's name, or quickly that nobody reads it.
#[derive(Debug, Default)]
pub struct SlotIndex {
    headers: HeaderNames,
    queries: TextMap,
    cookies: TextMap,
    len: usize,
}

/// Every field line of every request is looked up here, so its names get a table of their own where one is found.
#[derive(Debug)]
enum HeaderNames {
    Perfect(PerfectNames),
    Map(TextMap),
}

impl Default for HeaderNames {
    fn default() -> HeaderNames {
        HeaderNames::Perfect(PerfectNames::default())
    }
}

impl HeaderNames {
    fn new(names: &[(&[u8], u32)]) -> HeaderNames {
        match PerfectNames::new(names) {
            Some(perfect) => HeaderNames::Perfect(perfect),
            None => HeaderNames::Map(TextMap::new(names.iter().copied())),
        }
    }
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
            headers: HeaderNames::new(&headers),
            queries: TextMap::new(queries),
            cookies: TextMap::new(cookies),
            len: slots.len(),
        }
    }

    /// The slot of a header field; case does not matter (RFC 9110, section 5.1).
    pub fn header(&self, name: &[u8]) -> Option<SlotId> {
        let number = match &self.headers {
            HeaderNames::Perfect(names) => names.get(name),
            HeaderNames::Map(names) => names.get_folded(name),
        };
        number.and_then(slot_id)
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
    fn names_that_look_alike_are_found_as_well() {
        // Equal in length and in their first, middle and last byte.
        let names: Vec<String> = (b'a'..=b'z').map(|c| format!("x-{}-name", char::from(c))).collect();
        let slots: Vec<Slot> = names.iter().cloned().map(Slot::Header).collect();
        let index = SlotIndex::new(&slots);
        assert!(matches!(index.headers, HeaderNames::Map(_)));
        for (name, slot) in names.iter().zip(0..) {
            assert_eq!(index.header(name.to_ascii_uppercase().as_bytes()), Some(slot));
        }
        assert_eq!(index.header(b"x-1-name"), None);
    }

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
