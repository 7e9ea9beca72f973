//! Read buffers, kept per worker so that steady traffic allocates nothing.

use crate::limits::{BUFFER_LARGE, BUFFER_MEDIUM, BUFFER_SMALL, BUFFERS_KEPT};
use std::cell::RefCell;

/// The sizes of buffers, by class.
const SIZES: [usize; 3] = [BUFFER_SMALL, BUFFER_MEDIUM, BUFFER_LARGE];

/// Bytes that were read and not yet used. Without memory until it is filled.
#[derive(Debug, Default)]
pub(crate) struct Buffer {
    bytes: Box<[u8]>,
    start: usize,
    end: usize,
}

impl Buffer {
    /// What was read and not yet used.
    pub(crate) fn filled(&self) -> &[u8] {
        self.bytes.get(self.start..self.end).unwrap_or(&[])
    }

    /// Whether nothing waits.
    pub(crate) fn is_empty(&self) -> bool {
        self.start == self.end
    }

    /// Whether no byte more fits behind what waits, even after moving it to the front.
    pub(crate) fn is_full(&self) -> bool {
        self.end - self.start == self.bytes.len()
    }

    /// How many bytes fit.
    pub(crate) fn capacity(&self) -> usize {
        self.bytes.len()
    }

    /// Marks bytes as used.
    pub(crate) fn consume(&mut self, n: usize) {
        self.start = (self.start + n).min(self.end);
        if self.start == self.end {
            self.start = 0;
            self.end = 0;
        }
    }

    /// Forgets what waits.
    pub(crate) fn clear(&mut self) {
        self.start = 0;
        self.end = 0;
    }

    /// Room to read into; moves what waits to the front when the end is reached.
    pub(crate) fn space(&mut self) -> &mut [u8] {
        if self.end == self.bytes.len() && self.start > 0 {
            self.bytes.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.start = 0;
        }
        &mut self.bytes[self.end..]
    }

    /// Says how many bytes were read into [`Buffer::space`].
    pub(crate) fn fill(&mut self, n: usize) {
        self.end = (self.end + n).min(self.bytes.len());
    }
}

/// The buffers one worker keeps.
#[derive(Debug, Default)]
pub(crate) struct Buffers {
    kept: RefCell<[Vec<Box<[u8]>>; 3]>,
}

impl Buffers {
    /// Gives memory for at least `wanted` bytes, up to the largest size; keeps what waits in the buffer.
    pub(crate) fn grow(&self, buffer: &mut Buffer, wanted: usize) {
        let class = SIZES.iter().position(|size| *size >= wanted).unwrap_or(SIZES.len() - 1);
        if buffer.bytes.len() >= SIZES[class] {
            return;
        }
        let kept = self.kept.borrow_mut()[class].pop();
        let bytes = kept.unwrap_or_else(|| vec![0; SIZES[class]].into_boxed_slice());
        let mut larger = Buffer { bytes, start: 0, end: 0 };
        let waiting = buffer.filled();
        larger.bytes[..waiting.len()].copy_from_slice(waiting);
        larger.end = waiting.len();
        self.release(std::mem::replace(buffer, larger));
    }

    /// Takes the memory of a buffer back.
    pub(crate) fn release(&self, buffer: Buffer) {
        let Some(class) = SIZES.iter().position(|size| *size == buffer.bytes.len()) else { return };
        let kept = &mut self.kept.borrow_mut()[class];
        if kept.len() < BUFFERS_KEPT[class] {
            kept.push(buffer.bytes);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn growing_keeps_what_waits_and_memory_returns() {
        let buffers = Buffers::default();
        let mut buffer = Buffer::default();
        assert_eq!(buffer.capacity(), 0);
        buffers.grow(&mut buffer, 1);
        buffer.space()[..5].copy_from_slice(b"hello");
        buffer.fill(5);
        buffer.consume(2);
        buffers.grow(&mut buffer, BUFFER_SMALL + 1);
        assert_eq!((buffer.filled(), buffer.capacity()), (&b"llo"[..], BUFFER_MEDIUM));
        buffers.release(buffer);
        assert_eq!(buffers.kept.borrow().each_ref().map(Vec::len), [1, 1, 0]);
    }

    #[test]
    fn space_moves_what_waits_to_the_front() {
        let buffers = Buffers::default();
        let mut buffer = Buffer::default();
        buffers.grow(&mut buffer, 1);
        buffer.fill(BUFFER_SMALL);
        assert!(buffer.is_full());
        buffer.consume(BUFFER_SMALL - 3);
        assert_eq!(buffer.space().len(), BUFFER_SMALL - 3);
        assert_eq!(buffer.filled().len(), 3);
    }
}
