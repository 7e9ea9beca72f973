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
        let hash = plain_hash(text);
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
        self.find(plain_hash(text), |known| known == text)
    }

    /// The number of a text whatever its case; the texts of the map must be lower case.
    pub(crate) fn get_folded(&self, text: &[u8]) -> Option<u32> {
        if self.lengths & length_bit(text.len()) == 0 {
            return None;
        }
        self.find(hash(text, lower_case), |known| same_folded(known, text))
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

/// A bit for a length below 64; the last bit for all longer ones.
pub(crate) fn length_bit(len: usize) -> u64 {
    1 << len.min(63)
}

/// The hash of a text as it is.
#[inline]
pub(crate) fn plain_hash(text: &[u8]) -> u32 {
    hash(text, |word| word)
}

/// A hash over words of eight bytes, of which the last two may overlap, each changed by `fold` first. The texts are
/// the operator's, so nobody can choose them to collide.
fn hash(text: &[u8], fold: impl Fn(u64) -> u64) -> u32 {
    let mix = |hash: u64, word: u64| {
        let product = u128::from(hash ^ fold(word)) * 0x9E37_79B9_7F4A_7C15;
        #[expect(clippy::cast_possible_truncation, reason = "both halves of the product are used")]
        let halves = ((product >> 64) as u64, product as u64);
        halves.0 ^ halves.1
    };
    let start = text.len() as u64;
    let hash = match (text.first_chunk::<8>(), text.last_chunk::<8>()) {
        (Some(_), Some(last)) => {
            let words = text.chunks_exact(8).filter_map(<[u8]>::first_chunk::<8>);
            let hash = words.fold(start, |hash, word| mix(hash, u64::from_le_bytes(*word)));
            mix(hash, u64::from_le_bytes(*last))
        }
        (_, _) => mix(start, short(text)),
    };
    #[expect(clippy::cast_possible_truncation, reason = "the lower half is as good as the upper one")]
    let hash = (hash ^ (hash >> 32)) as u32;
    hash
}

/// Up to seven bytes as one number, of which some may count twice. Different texts of one length are different numbers.
#[inline]
pub(crate) fn short(text: &[u8]) -> u64 {
    if let (Some(first), Some(last)) = (text.first_chunk::<4>(), text.last_chunk::<4>()) {
        return u64::from(u32::from_le_bytes(*first)) | (u64::from(u32::from_le_bytes(*last)) << 32);
    }
    match *text {
        [a] => u64::from(a),
        [a, b] => u64::from(a) | (u64::from(b) << 8),
        [a, b, c] => u64::from(a) | (u64::from(b) << 8) | (u64::from(c) << 16),
        _ => 0,
    }
}

/// Whether a text, whatever its case, is this one, which is lower case: eight bytes at a time, of which the last ones may
/// count twice.
#[inline]
pub(crate) fn same_folded(known: &[u8], text: &[u8]) -> bool {
    if known.len() != text.len() {
        return false;
    }
    let (Some(known_last), Some(last)) = (known.last_chunk::<8>(), text.last_chunk::<8>()) else {
        return lower_case(short(text)) == short(known);
    };
    let same =
        |known: &[u8; 8], text: &[u8; 8]| lower_case(u64::from_le_bytes(*text)) == u64::from_le_bytes(*known);
    let mut words = known.chunks_exact(8).zip(text.chunks_exact(8));
    same(known_last, last)
        && words.all(|(known, text)| {
            matches!((known.first_chunk(), text.first_chunk()), (Some(known), Some(text)) if same(known, text))
        })
}

/// Eight bytes with ASCII letters in lower case.
fn lower_case(word: u64) -> u64 {
    const EACH: u64 = 0x0101_0101_0101_0101;
    let low = word & (0x7F * EACH);
    let from_a = low + u64::from(0x80 - b'A') * EACH;
    let after_z = low + u64::from(0x7F - b'Z') * EACH;
    let upper = (from_a & !after_z & !word) & (0x80 * EACH);
    word | (upper >> 2)
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
    fn only_ascii_letters_change_case() {
        for byte in 0..=255u8 {
            let word = u64::from_le_bytes([byte, b'A', byte, b'z', 0xFF, byte, b'[', b'@']);
            let expected = word.to_le_bytes().map(|byte| byte.to_ascii_lowercase());
            assert_eq!(lower_case(word).to_le_bytes(), expected, "{byte}");
        }
    }

    #[test]
    fn folded_texts_are_compared_as_bytes_would_be() {
        let text = b"X-Some_Header.\xC3\x84-Name9@[`{";
        for start in 0..text.len() {
            for end in start..text.len() {
                let known = text[start..end].to_ascii_lowercase();
                assert!(same_folded(&known, &text[start..end]), "{known:?}");
                for at in 0..known.len() {
                    for byte in [b'@', b'`', b'Q', 0, 0xC4, known[at] ^ 0x20] {
                        let mut other = text[start..end].to_vec();
                        other[at] = byte;
                        let expected = known.eq_ignore_ascii_case(&other);
                        assert_eq!(same_folded(&known, &other), expected, "{known:?} {other:?}");
                    }
                }
                assert!(!same_folded(&known, &text[start..=end]));
            }
        }
    }

    #[test]
    fn case_folds_only_where_asked() {
        let long = TextMap::new([(b"x-forwarded-for".as_slice(), 1), (b"te".as_slice(), 2)]);
        assert_eq!([long.get_folded(b"X-Forwarded-FOR"), long.get_folded(b"TE")], [Some(1), Some(2)]);
        let map = TextMap::new([(b"x-name".as_slice(), 3)]);
        assert_eq!(map.get_folded(b"X-Name"), Some(3));
        assert_eq!(map.get(b"X-Name"), None);
        assert_eq!(map.get_folded(b"x-namf"), None);
    }
}
