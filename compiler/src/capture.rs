//! Tests of one path segment: what typed captures ask.

use crate::predicate::regex::{RegexId, RegexTables};
use twp_lang::hir::CaptureTy;
use twp_lang::literal::Regex;

/// A capture with the text around it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct CaptureTest {
    /// Text before the capture.
    pub(crate) prefix: Box<[u8]>,
    /// Text after the capture.
    pub(crate) suffix: Box<[u8]>,
    /// What lies between.
    pub(crate) class: Class,
}

/// What a capture takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Class {
    /// At least one byte.
    Segment,
    /// `0`, or 1 to 18 digits without a leading zero.
    Int,
    /// A UUID in either case.
    Uuid,
    /// `[a-z0-9-]+`
    Slug,
    /// `[0-9a-fA-F]+`
    Hex,
    /// What the expression matches as a whole.
    Regex(RegexId),
}

/// The expression that matches these texts, which are words, and nothing else.
pub(crate) fn one_of(texts: &[String]) -> Regex {
    Regex { pattern: texts.join("|"), ignore_case: false }
}

impl CaptureTest {
    /// The test of a capture; `None` when its expression has no table.
    pub(crate) fn new(
        ty: &CaptureTy,
        prefix: &str,
        suffix: &str,
        regexes: &RegexTables,
    ) -> Option<CaptureTest> {
        let class = match ty {
            CaptureTy::Segment => Class::Segment,
            CaptureTy::Int => Class::Int,
            CaptureTy::Uuid => Class::Uuid,
            CaptureTy::Slug => Class::Slug,
            CaptureTy::Hex => Class::Hex,
            CaptureTy::OneOf(texts) => Class::Regex(regexes.id(&one_of(texts))?),
            CaptureTy::Regex(regex) => Class::Regex(regexes.id(regex)?),
        };
        Some(CaptureTest { prefix: prefix.as_bytes().into(), suffix: suffix.as_bytes().into(), class })
    }

    /// Whether the segment passes. Text before and after must not overlap.
    pub(crate) fn matches(&self, segment: &[u8], regexes: &RegexTables) -> bool {
        let Some(rest) = segment.strip_prefix(self.prefix.as_ref()) else { return false };
        let Some(value) = rest.strip_suffix(self.suffix.as_ref()) else { return false };
        self.class.takes(value, regexes)
    }

    /// Takes any segment that is not empty.
    pub(crate) fn is_plain(&self) -> bool {
        self.class == Class::Segment && self.prefix.is_empty() && self.suffix.is_empty()
    }

    /// Takes no empty segment, so a plain capture takes all that this one takes.
    pub(crate) fn refuses_empty(&self) -> bool {
        match self.class {
            Class::Segment | Class::Int | Class::Uuid | Class::Slug | Class::Hex => true,
            Class::Regex(_) => !self.prefix.is_empty() || !self.suffix.is_empty(),
        }
    }

    /// Whether some segment might pass both tests, judged by the text around the captures.
    pub(crate) fn may_meet(&self, other: &CaptureTest) -> bool {
        let prefixes = self.prefix.starts_with(&other.prefix) || other.prefix.starts_with(&self.prefix);
        let suffixes = self.suffix.ends_with(&other.suffix) || other.suffix.ends_with(&self.suffix);
        prefixes && suffixes
    }
}

impl Class {
    /// Whether a text is of this class.
    pub(crate) fn takes(self, value: &[u8], regexes: &RegexTables) -> bool {
        match self {
            Class::Segment => !value.is_empty(),
            Class::Int => is_int(value),
            Class::Uuid => is_uuid(value),
            Class::Slug => {
                let slug = |byte: &u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || *byte == b'-';
                !value.is_empty() && value.iter().all(slug)
            }
            Class::Hex => !value.is_empty() && value.iter().all(u8::is_ascii_hexdigit),
            Class::Regex(id) => regexes.table(id).is_some_and(|table| table.matches(value.iter().copied())),
        }
    }
}

fn is_int(value: &[u8]) -> bool {
    match value {
        b"0" => true,
        [first, ..] => *first != b'0' && value.len() <= 18 && value.iter().all(u8::is_ascii_digit),
        [] => false,
    }
}

fn is_uuid(value: &[u8]) -> bool {
    let digit = |(at, byte): (usize, &u8)| match at {
        8 | 13 | 18 | 23 => *byte == b'-',
        _ => byte.is_ascii_hexdigit(),
    };
    value.len() == 36 && value.iter().enumerate().all(digit)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn takes(ty: &CaptureTy, segment: &str) -> bool {
        let regexes = RegexTables::default();
        let test = CaptureTest::new(ty, "v", ".x", &regexes).expect("no expression");
        test.matches(format!("v{segment}.x").as_bytes(), &regexes)
    }

    #[test]
    fn types_take_what_they_say() {
        let ints = ["0", "7", "123456789012345678", "1234567890123456789", "01", "", "-1", "1a"];
        assert_eq!(
            ints.map(|text| takes(&CaptureTy::Int, text)),
            [true, true, true, false, false, false, false, false]
        );
        let uuids = ["6f9619ff-8b86-d011-b42d-00C04FC964FF", "6f9619ff-8b86-d011-b42d-00c04fc964f", "x"];
        assert_eq!(uuids.map(|text| takes(&CaptureTy::Uuid, text)), [true, false, false]);
        assert_eq!(["a-9", "A", ""].map(|text| takes(&CaptureTy::Slug, text)), [true, false, false]);
        assert_eq!(["aF0", "g", ""].map(|text| takes(&CaptureTy::Hex, text)), [true, false, false]);
    }

    #[test]
    fn text_around_a_capture_does_not_overlap() {
        let regexes = RegexTables::default();
        let test = CaptureTest::new(&CaptureTy::Segment, "aba", "ba", &regexes).expect("no expression");
        assert_eq!(
            ["aba", "ababa", "abaXba"].map(|s| test.matches(s.as_bytes(), &regexes)),
            [false, false, true]
        );
    }
}
