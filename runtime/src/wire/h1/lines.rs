//! Finds the lines of a head as its bytes arrive; every line ends with CR LF.

use super::super::ParseError;

/// How far the lines of a head have been read.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Lines {
    line_at: usize,
    scanned: usize,
}

/// A complete line: where it starts and where its CR LF starts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line {
    pub(super) start: usize,
    pub(super) end: usize,
}

impl Lines {
    /// Where the line not yet complete starts.
    pub(super) fn line_at(&self) -> usize {
        self.line_at
    }

    /// The next line, or `None` when more bytes are needed; each byte is looked at once over all calls.
    /// A head that cannot end within `bytes_max` is [`ParseError::HeadTooLarge`].
    #[inline]
    pub(super) fn next(&mut self, bytes: &[u8], bytes_max: usize) -> Result<Option<Line>, ParseError> {
        let unseen = bytes.get(self.scanned..).unwrap_or_default();
        let Some(feed) = memchr::memchr(b'\n', unseen).map(|at| self.scanned + at) else {
            self.scanned = self.scanned.max(bytes.len());
            return if bytes.len() >= bytes_max { Err(ParseError::HeadTooLarge) } else { Ok(None) };
        };
        if feed >= bytes_max {
            return Err(ParseError::HeadTooLarge);
        }
        let line = bytes.get(self.line_at..feed).unwrap_or_default();
        let [.., b'\r'] = line else { return Err(ParseError::BareLineFeed) };
        let line = Line { start: self.line_at, end: feed - 1 };
        self.line_at = feed + 1;
        self.scanned = feed + 1;
        Ok(Some(line))
    }
}

#[cfg(test)]
mod tests {
    use super::Lines;
    use crate::wire::ParseError;

    #[test]
    fn lines_come_one_by_one() {
        let mut lines = Lines::default();
        assert!(lines.next(b"ab", 10).expect("fits").is_none());
        let line = lines.next(b"ab\r\nc", 10).expect("fits").expect("a line");
        assert_eq!((line.start, line.end), (0, 2));
        assert!(lines.next(b"ab\r\nc\r", 10).expect("fits").is_none());
        let line = lines.next(b"ab\r\nc\r\n", 10).expect("fits").expect("a line");
        assert_eq!((line.start, line.end), (4, 5));
    }

    #[test]
    fn a_bare_line_feed_and_too_many_bytes_are_refused() {
        assert_eq!(Lines::default().next(b"ab\n", 10).err(), Some(ParseError::BareLineFeed));
        assert_eq!(Lines::default().next(b"\n", 10).err(), Some(ParseError::BareLineFeed));
        assert_eq!(Lines::default().next(b"abcdefgh\r\n", 9).err(), Some(ParseError::HeadTooLarge));
        assert_eq!(Lines::default().next(b"abcdefghi", 9).err(), Some(ParseError::HeadTooLarge));
        assert!(Lines::default().next(b"abcdefg\r\n", 9).expect("fits").is_some());
    }
}
