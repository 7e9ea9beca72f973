//! A quick hash for the maps that live while a program is compiled.
//!
//! The standard hasher resists keys that somebody chose to collide; here all keys come from the operator's own file,
//! and a large program looks up millions of them.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};

/// A map for compiling.
pub(crate) type QuickMap<K, V> = HashMap<K, V, BuildHasherDefault<QuickHasher>>;
/// A set for compiling.
pub(crate) type QuickSet<K> = HashSet<K, BuildHasherDefault<QuickHasher>>;

/// Multiplies each word into the state and folds the product.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct QuickHasher(u64);

impl QuickHasher {
    fn mix(&mut self, word: u64) {
        let product = u128::from(self.0 ^ word ^ 0x2545_F491_4F6C_DD1D) * 0x9E37_79B9_7F4A_7C15;
        #[expect(clippy::cast_possible_truncation, reason = "both halves of the product are used")]
        let halves = ((product >> 64) as u64, product as u64);
        self.0 = halves.0 ^ halves.1;
    }
}

impl Hasher for QuickHasher {
    fn write(&mut self, bytes: &[u8]) {
        let mut words = bytes.chunks_exact(8);
        for word in words.by_ref().filter_map(<[u8]>::first_chunk::<8>) {
            self.mix(u64::from_le_bytes(*word));
        }
        let rest = words.remainder();
        let rest = rest.iter().rev().fold(0, |word, byte| (word << 8) | u64::from(*byte));
        // The length tells apart what ends in zeros.
        self.mix(rest ^ (bytes.len() as u64).rotate_right(8));
    }

    fn write_u8(&mut self, word: u8) {
        self.mix(word.into());
    }

    fn write_u16(&mut self, word: u16) {
        self.mix(word.into());
    }

    fn write_u32(&mut self, word: u32) {
        self.mix(word.into());
    }

    fn write_u64(&mut self, word: u64) {
        self.mix(word);
    }

    fn write_usize(&mut self, word: usize) {
        self.mix(word as u64);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}
