//! A small generator of numbers: the same seed, or the same bytes, give the same programs everywhere.

use std::collections::VecDeque;

/// Numbers from bytes while there are some, then from xorshift64*.
pub(crate) struct Rng {
    state: u64,
    bytes: VecDeque<u8>,
}

impl Rng {
    /// Numbers from a seed.
    pub(crate) fn new(seed: u64) -> Rng {
        // The state must not be 0, and near seeds should not give like sequences.
        Rng { state: seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1, bytes: VecDeque::new() }
    }

    /// Numbers from a seed of up to four bytes; before them, a choice for each of the bytes that follow. One changed
    /// byte changes one choice, which is what lets a fuzzer learn.
    pub(crate) fn of_bytes(bytes: &[u8]) -> Rng {
        let (seed, choices) = bytes.split_at(bytes.len().min(4));
        let seed = seed.iter().fold(0, |seed, byte| seed << 8 | u64::from(*byte));
        Rng { bytes: choices.iter().copied().collect(), ..Rng::new(seed) }
    }

    fn next(&mut self) -> u64 {
        self.state ^= self.state >> 12;
        self.state ^= self.state << 25;
        self.state ^= self.state >> 27;
        self.state.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    /// A number below `n`.
    pub(crate) fn below(&mut self, n: usize) -> usize {
        if n <= 256
            && let Some(byte) = self.bytes.pop_front()
        {
            return usize::from(byte) % n.max(1);
        }
        let bound = u64::try_from(n.max(1)).unwrap_or(1);
        usize::try_from((self.next() >> 11) % bound).unwrap_or(0)
    }

    /// True `percent` times in a hundred.
    pub(crate) fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// One of them.
    pub(crate) fn pick<'t, T>(&mut self, of: &'t [T]) -> &'t T {
        &of[self.below(of.len())]
    }

    /// One of these words.
    pub(crate) fn word(&mut self, of: &[&'static str]) -> &'static str {
        of[self.below(of.len())]
    }

    /// One of these words, owned.
    pub(crate) fn text(&mut self, of: &[&'static str]) -> String {
        self.word(of).to_owned()
    }
}
