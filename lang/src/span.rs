//! Places in source text.

/// A half-open byte range `start..end` of one source file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    /// Number of the file in the order the loader brought them; the entry file is 0.
    pub source: u16,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The range `start..end` of the entry file.
    pub fn new(start: usize, end: usize) -> Self {
        Self { source: 0, start: clamp(start), end: clamp(end) }
    }

    /// The smallest range that covers both; both must lie in one file.
    pub fn to(self, other: Span) -> Span {
        Span { source: self.source, start: self.start.min(other.start), end: self.end.max(other.end) }
    }

    /// The range as indices into the source text.
    pub fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }

    /// The empty range just after this one, where something is missing.
    pub fn after(self) -> Span {
        Span { start: self.end, ..self }
    }
}

/// Sources have less than 4 GiB, so a larger offset is cut rather than wrapped.
fn clamp(offset: usize) -> u32 {
    u32::try_from(offset).unwrap_or(u32::MAX)
}

/// A value with the place it was written.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Spanned<T> {
    /// The value.
    pub value: T,
    /// Where it was written.
    pub span: Span,
}

impl<T> Spanned<T> {
    /// Puts a value at a place.
    pub fn new(value: T, span: Span) -> Self {
        Self { value, span }
    }
}

/// A name as written.
pub type Ident = Spanned<String>;
