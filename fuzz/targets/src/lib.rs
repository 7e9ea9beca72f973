//! What is fuzzed: functions that take any bytes and panic when something that must hold does not.
//!
//! libFuzzer drives them through the programs of the folder above; the test `replay` of this crate runs them over the
//! corpora that are checked in.

mod language;
mod target;
mod wire;

pub use language::{agree, parse};
pub use target::target;
pub use wire::{chunks, head};

/// A function that is fuzzed, with the name of its program and of its corpus.
pub type Target = (&'static str, fn(&[u8]));

/// All of them.
pub const TARGETS: [Target; 5] =
    [("parse", parse), ("agree", agree), ("target", target), ("head", head), ("chunks", chunks)];

/// Cuts of an input into pieces, as reads from a socket would bring it: lengths drawn from a seed of one byte. Seed 0
/// stands for single bytes.
fn pieces(bytes: &[u8], seed: u8) -> impl Iterator<Item = &[u8]> {
    let mut state = u64::from(seed);
    let mut rest = bytes;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        state = state.wrapping_mul(6_364_136_223_846_793_005);
        // Short pieces are the interesting ones: they end inside of every token.
        let longest = if (state >> 40) % 8 == 0 { 512 } else { 12 };
        let len = if seed == 0 { 1 } else { 1 + usize::try_from(state >> 33).unwrap_or(0) % longest };
        let (piece, after) = rest.split_at(len.min(rest.len()));
        rest = after;
        Some(piece)
    })
}

#[cfg(test)]
mod tests {
    use super::pieces;

    #[test]
    fn pieces_are_the_whole_in_order() {
        let bytes: Vec<u8> = (0..=255).collect();
        for seed in 0..=255 {
            let all: Vec<&[u8]> = pieces(&bytes, seed).collect();
            assert_eq!(all.concat(), bytes, "seed {seed}");
            assert!(all.len() > 1 && all.iter().all(|piece| !piece.is_empty()), "seed {seed}");
        }
    }
}
