//! Lines and columns of bytes.

/// Where the lines of a text start.
#[derive(Debug)]
pub(super) struct Lines {
    starts: Vec<usize>,
}

impl Lines {
    pub(super) fn new(text: &str) -> Self {
        let ends = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at + 1);
        Self { starts: std::iter::once(0).chain(ends).collect() }
    }

    /// The line of a byte, counted from 0.
    pub(super) fn line(&self, at: usize) -> usize {
        self.starts.partition_point(|start| *start <= at).saturating_sub(1)
    }

    /// Where the line of a byte starts.
    pub(super) fn start_of(&self, at: usize) -> usize {
        self.starts[self.line(at)]
    }

    /// Where the line of a byte ends, before its line end.
    pub(super) fn end_of(&self, at: usize, text: &str) -> usize {
        self.starts.get(self.line(at) + 1).map_or(text.len(), |next| next - 1)
    }

    /// Line and column of a byte, both counted from 1; columns are characters.
    pub(super) fn place(&self, at: usize, text: &str) -> (usize, usize) {
        let start = self.start_of(at);
        (self.line(at) + 1, text[start..at].chars().count() + 1)
    }
}
