//! Constant maps from texts to numbers: built once, looked up without allocation, a miss usually one comparison.

/// A map from texts to numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct TextMap {
    texts: Vec<u8>,
    entries: Vec<Entry>,
    /// Hash in the upper half, number of the entry plus one in the lower; 0 is free.
    /// INVARIANT: the length is a power of two and at most half of the places are taken, or there are none.
    places: Vec<u64>,
    /// A bit for each length below 64 that some text has; the last bit for all longer ones.
    lengths: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Entry {
    start: u32,
    len: u32,
    value: u32,
}

impl TextMap {
    /// A map of these texts; of equal texts the first counts.
    pub(crate) fn new<'t>(pairs: impl IntoIterator<Item = (&'t [u8], u32)>) -> TextMap {
        let mut map = TextMap::default();
        let pairs: Vec<(&[u8], u32)> = pairs.into_iter().collect();
        if pairs.is_empty() {
            return map;
        }
        map.places = vec![0; (pairs.len() * 2).next_power_of_two()];
        for (text, value) in pairs {
            map.insert(text, value);
        }
        map
    }

    fn insert(&mut self, text: &[u8], value: u32) {
        if self.get(text).is_some() {
            return;
        }
        let entry = Entry { start: number(self.texts.len()), len: number(text.len()), value };
        self.texts.extend_from_slice(text);
        self.entries.push(entry);
        self.lengths |= length_bit(text.len());
        let hash = hash(text.iter().copied());
        let mut place = self.first_place(hash);
        while self.places[place] != 0 {
            place = (place + 1) & (self.places.len() - 1);
        }
        self.places[place] = (u64::from(hash) << 32) | u64::from(number(self.entries.len()));
    }

    /// The number of a text.
    pub(crate) fn get(&self, text: &[u8]) -> Option<u32> {
        if self.lengths & length_bit(text.len()) == 0 {
            return None;
        }
        self.find(hash(text.iter().copied()), |known| known == text)
    }

    /// The number of a text whatever its case; the texts of the map must be lower case.
    pub(crate) fn get_folded(&self, text: &[u8]) -> Option<u32> {
        if self.lengths & length_bit(text.len()) == 0 {
            return None;
        }
        self.find(hash(text.iter().map(u8::to_ascii_lowercase)), |known| known.eq_ignore_ascii_case(text))
    }

    /// The texts and numbers in the order they were put in.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&[u8], u32)> {
        self.entries.iter().map(|entry| (self.text(*entry), entry.value))
    }

    fn find(&self, hash: u32, same: impl Fn(&[u8]) -> bool) -> Option<u32> {
        let mask = self.places.len().checked_sub(1)?;
        let mut place = self.first_place(hash);
        // Half of the places are free, so the search ends.
        loop {
            let found = self.places[place];
            if found == 0 {
                return None;
            }
            if found >> 32 == u64::from(hash) {
                let entry = self.entries[usize::try_from(found & 0xFFFF_FFFF).unwrap_or(0) - 1];
                if same(self.text(entry)) {
                    return Some(entry.value);
                }
            }
            place = (place + 1) & mask;
        }
    }

    fn text(&self, entry: Entry) -> &[u8] {
        &self.texts[entry.start as usize..(entry.start + entry.len) as usize]
    }

    fn first_place(&self, hash: u32) -> usize {
        hash as usize & (self.places.len() - 1)
    }
}

fn length_bit(len: usize) -> u64 {
    1 << len.min(63)
}

/// FNV-1a with a final mix; the texts are the operator's, so nobody can choose them to collide.
fn hash(bytes: impl Iterator<Item = u8>) -> u32 {
    let mut hash = 0x811C_9DC5u32;
    for byte in bytes {
        hash = (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
    }
    hash ^ (hash >> 15)
}

fn number(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_text_is_found_and_no_other() {
        let texts: Vec<String> = (0..2000).map(|n| format!("t{}", n * 7)).collect();
        let map = TextMap::new(texts.iter().map(String::as_bytes).zip(0..));
        for n in 0..14_000u32 {
            let expected = n.is_multiple_of(7).then_some(n / 7);
            assert_eq!(map.get(format!("t{n}").as_bytes()), expected);
        }
        assert_eq!(map.get(b""), None);
        assert_eq!(TextMap::default().get(b"x"), None);
    }

    #[test]
    fn case_folds_only_where_asked() {
        let map = TextMap::new([(b"x-name".as_slice(), 3)]);
        assert_eq!(map.get_folded(b"X-Name"), Some(3));
        assert_eq!(map.get(b"X-Name"), None);
        assert_eq!(map.get_folded(b"x-namf"), None);
    }
}
