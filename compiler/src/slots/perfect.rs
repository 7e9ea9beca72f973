//! A perfect hash of header names: made for the names of one program, so that each has a place of its own.
//!
//! A name is looked at in three places and by its length; one multiplication, whose factor was searched for when the
//! table was made, leads to the only name it can be. Names that nobody reads end at one comparison of numbers.

use crate::text_map::{length_bit, same_folded};

/// Names in lower case and their numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct PerfectNames {
    /// Place of the entry plus one, 0 where there is none.
    /// INVARIANT: empty, or 2 to the power of `32 - shift` of them.
    places: Vec<u16>,
    entries: Vec<Entry>,
    factor: u32,
    shift: u32,
    /// A bit for each length that some name has.
    lengths: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Entry {
    look: u32,
    number: u32,
    name: Box<[u8]>,
}

/// Factors tried for each size of the table. One in six tells 60 names apart at sixteen times as many places.
const FACTORS: u32 = 64;
/// Sizes tried: up to sixteen times as many places as names, which is 2 KiB for 60 names.
const SIZES: u32 = 5;

impl PerfectNames {
    /// A table of different names, none of them empty; `None` when two look the same or no factor tells all apart.
    pub(super) fn new(names: &[(&[u8], u32)]) -> Option<PerfectNames> {
        if names.is_empty() {
            return Some(PerfectNames::default());
        }
        let entry = |(name, number): &(&[u8], u32)| {
            Some(Entry { look: look(name)?, number: *number, name: Box::from(*name) })
        };
        let entries: Vec<Entry> = names.iter().map(entry).collect::<Option<_>>()?;
        let lengths = names.iter().fold(0, |lengths, (name, _)| lengths | length_bit(name.len()));
        let bits = names.len().next_power_of_two().trailing_zeros().max(1);
        for shift in (0..SIZES).filter_map(|more| 32u32.checked_sub(bits + more)) {
            // Odd multiples of the golden ratio spread well and differ from each other.
            for factor in (0..FACTORS).map(|n| 0x9E37_79B9u32.wrapping_mul(2 * n + 1)) {
                if let Some(places) = placed(&entries, factor, shift) {
                    return Some(PerfectNames { places, entries, factor, shift, lengths });
                }
            }
        }
        None
    }

    /// The number of a name whatever its case.
    #[inline]
    pub(super) fn get(&self, name: &[u8]) -> Option<u32> {
        if self.lengths & length_bit(name.len()) == 0 {
            return None;
        }
        let look = look(name)?;
        let place = *self.places.get(place_of(look, self.factor, self.shift))?;
        let entry = self.entries.get(usize::from(place).checked_sub(1)?)?;
        (entry.look == look && same_folded(&entry.name, name)).then_some(entry.number)
    }
}

/// The table, unless two names meet.
fn placed(entries: &[Entry], factor: u32, shift: u32) -> Option<Vec<u16>> {
    let mut places = vec![0; 1 << (32 - shift)];
    for (number, entry) in (1u16..).zip(entries) {
        let place: &mut u16 = places.get_mut(place_of(entry.look, factor, shift))?;
        if *place != 0 {
            return None;
        }
        *place = number;
    }
    Some(places)
}

fn place_of(look: u32, factor: u32, shift: u32) -> usize {
    (look.wrapping_mul(factor) >> shift) as usize
}

/// The first, a middle and the last byte without the bit that tells cases apart, and the length.
#[inline]
fn look(name: &[u8]) -> Option<u32> {
    let [first, .., last] = *name else { return name.first().map(|only| u32::from(*only | 0x20)) };
    let middle = name.get(name.len() / 2).copied().unwrap_or(last);
    let length = u8::try_from(name.len()).unwrap_or(u8::MAX);
    Some(u32::from_le_bytes([first | 0x20, middle | 0x20, last | 0x20, length]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_found_and_no_other() {
        for count in [0usize, 1, 2, 3, 17, 100, 256] {
            let names: Vec<String> =
                (0..count).map(|n| format!("{n:x}x{}", "y".repeat(n % 23 + 1))).collect();
            let pairs: Vec<(&[u8], u32)> = names.iter().map(String::as_bytes).zip(0..).collect();
            let Some(table) = PerfectNames::new(&pairs) else {
                assert!(count > 64, "{count} names are few");
                continue;
            };
            for (name, number) in &pairs {
                assert_eq!(table.get(&name.to_ascii_uppercase()), Some(*number));
            }
            for other in [b"".as_slice(), b"x", b"0xz", b"host", &[0xFF; 300]] {
                assert_eq!(table.get(other), None);
            }
        }
    }
}
