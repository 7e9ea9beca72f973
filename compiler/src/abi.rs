//! The contract between deciding code and the runtime: what it may read of a request.
//!
//! A [`View`] is built once per exchange on the worker's stack and lives as long as the request head it points
//! into. Deciding code reads only the view and the program's tables, writes nothing but its result, never
//! allocates, blocks or keeps a pointer. The layout is fixed (`repr(C)`) so that native code can share it.
//!
//! This is the one file of the crate, beside the native code itself, that turns pointers into text: the lifetime
//! of a `Text` ties the pointer to the bytes it came from.
//!
//! Native code never reads past a text. After a switch on its length the length is a constant, so texts are compared
//! by words of 8, 4, 2 and 1 bytes that overlap inside the text (9 bytes are the word at 0 and the word at 1). That
//! costs a load more than reading beyond the end would, but asks nothing of whoever makes a [`Text`]: making one is
//! safe, and over-reads fault under guard pages instead of being part of the contract.
#![expect(unsafe_code, reason = "reads text back through the pointers that the view's layout prescribes")]

use std::marker::PhantomData;

pub(crate) mod layout;

/// Version of the layout of [`View`].
pub const ABI_VERSION: u32 = 1;
/// Most segments a path may have; the normaliser refuses more.
pub const SEGMENTS_MAX: usize = 64;
/// Most distinct header, cookie and query names a program may read.
pub const SLOTS_MAX: usize = 256;

/// Text of a request, or its absence.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Text<'a> {
    ptr: *const u8,
    len: u32,
    flags: u32,
    bytes: PhantomData<&'a [u8]>,
}

impl<'a> Text<'a> {
    /// No text: the field does not exist.
    pub const ABSENT: Text<'static> = Text { ptr: std::ptr::null(), len: 0, flags: 0, bytes: PhantomData };

    /// The text in these bytes. Heads are at most a few hundred KiB, far below the length's range.
    pub fn new(bytes: &'a [u8]) -> Text<'a> {
        let len = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
        Text { ptr: bytes.as_ptr(), len, flags: 0, bytes: PhantomData }
    }

    /// The bytes, unless absent.
    pub fn bytes(self) -> Option<&'a [u8]> {
        if self.ptr.is_null() {
            return None;
        }
        // SAFETY: a non-null pointer was taken from a `&'a [u8]` of at least `len` bytes in `new`, the only place
        // that makes one, and `'a` is still alive.
        Some(unsafe { std::slice::from_raw_parts(self.ptr, self.len as usize) })
    }

    /// The bytes, or none at all.
    pub fn or_empty(self) -> &'a [u8] {
        self.bytes().unwrap_or(&[])
    }
}

impl std::fmt::Debug for Text<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.bytes().map(String::from_utf8_lossy).fmt(f)
    }
}

/// Schemes by number.
pub const SCHEME_HTTP: u8 = 0;
/// Schemes by number.
pub const SCHEME_HTTPS: u8 = 1;
/// Number of a method that is none of `Method::KNOWN`; its text is in [`View::method_text`].
pub const METHOD_OTHER: u8 = 255;

/// What deciding code may read of a request.
#[repr(C)]
#[derive(Clone, Debug)]
pub struct View<'a> {
    /// Layout version: [`ABI_VERSION`].
    pub abi: u32,
    /// Number of the method in `Method::KNOWN`, or [`METHOD_OTHER`].
    pub method: u8,
    /// [`SCHEME_HTTP`] or [`SCHEME_HTTPS`].
    pub scheme: u8,
    /// 10, 11, 20 or 30.
    pub version: u8,
    /// INVARIANT: at most [`SEGMENTS_MAX`], and 0 only without a usable path.
    n_segments: u8,
    /// Number of the listener in the plan.
    pub listener: u16,
    /// Port of the authority, else the scheme's.
    pub port: u16,
    /// Announced length of the body, -1 when there is none.
    pub content_length: i64,
    /// Address of the client; IPv4 as mapped IPv6, network order.
    pub client_ip: [u8; 16],
    /// Host of the authority: lower case, without port.
    pub host: Text<'a>,
    path: Text<'a>,
    /// Normalised query without the question mark; absent when there was no question mark.
    pub query: Text<'a>,
    /// Method as written.
    pub method_text: Text<'a>,
    /// Server name of the TLS handshake.
    pub sni: Text<'a>,
    /// INVARIANT: the offset in `path` of each slash, ascending; `[n_segments]` is the length of the path. Native code
    /// reads the path where these say, so only [`View::set_path`] writes them.
    segment_at: [u16; SEGMENTS_MAX + 1],
    /// Values of header, cookie and query fields by slot number.
    slots: *const Text<'a>,
    n_slots: u32,
}

impl<'a> View<'a> {
    /// A view of nothing yet, over the slot values of this request. Slots past [`SLOTS_MAX`] are ignored.
    pub fn new(slots: &'a [Text<'a>]) -> View<'a> {
        View {
            abi: ABI_VERSION,
            method: METHOD_OTHER,
            scheme: SCHEME_HTTP,
            version: 11,
            n_segments: 0,
            listener: 0,
            port: 80,
            content_length: -1,
            client_ip: [0; 16],
            host: Text::ABSENT,
            path: Text::ABSENT,
            query: Text::ABSENT,
            method_text: Text::ABSENT,
            sni: Text::ABSENT,
            segment_at: [0; SEGMENTS_MAX + 1],
            slots: slots.as_ptr(),
            n_slots: u32::try_from(slots.len().min(SLOTS_MAX)).unwrap_or(0),
        }
    }

    /// The value in a slot; absent when the number is out of range.
    pub fn slot(&self, slot: u16) -> Text<'a> {
        if u32::from(slot) >= self.n_slots {
            return Text::ABSENT;
        }
        // SAFETY: `slots` and `n_slots` come from one slice that lives for `'a`, and `slot` is below its length.
        unsafe { *self.slots.add(usize::from(slot)) }
    }

    /// How many slots there are.
    pub(crate) fn n_slots(&self) -> usize {
        self.n_slots as usize
    }

    /// Normalised path, starts with a slash.
    pub fn path(&self) -> Text<'a> {
        self.path
    }

    /// Segments of the path: at most [`SEGMENTS_MAX`]; 0 when no usable path was set.
    pub fn n_segments(&self) -> usize {
        usize::from(self.n_segments)
    }

    /// Offset in the path of the slash before segment `index`; past the last segment, the length of the path.
    pub fn segment_start(&self, index: usize) -> usize {
        usize::from(self.segment_at[index.min(self.n_segments())])
    }

    /// Sets the path and finds its segments. False, and no segments, when it has more than [`SEGMENTS_MAX`] or
    /// does not start with a slash.
    pub fn set_path(&mut self, path: &'a [u8]) -> bool {
        self.n_segments = 0;
        self.path = Text::new(path);
        let Ok(len) = u16::try_from(path.len()) else { return false };
        if path.first() != Some(&b'/') {
            return false;
        }
        let mut n = 0;
        for (number, some) in (0u16..).zip(path.chunks(16)) {
            let mut found = slashes(some);
            while found != 0 {
                if n == SEGMENTS_MAX {
                    return false;
                }
                // Below `len`, which fits.
                self.segment_at[n] = number * 16 + u16::try_from(found.trailing_zeros()).unwrap_or(0);
                n += 1;
                found &= found - 1;
            }
        }
        self.segment_at[n] = len;
        self.n_segments = u8::try_from(n).unwrap_or(0);
        true
    }

    /// The text of a segment, without its slash.
    pub fn segment(&self, index: usize) -> Option<&'a [u8]> {
        if index >= usize::from(self.n_segments) {
            return None;
        }
        let start = usize::from(self.segment_at[index]) + 1;
        let end = usize::from(self.segment_at[index + 1]);
        self.path.or_empty().get(start..end)
    }

    /// The text of `count` segments from `index` on, with the slashes between them.
    #[inline]
    pub(crate) fn segments(&self, index: usize, count: usize) -> Option<&'a [u8]> {
        if index + count > usize::from(self.n_segments) {
            return None;
        }
        let start = usize::from(*self.segment_at.get(index)?) + 1;
        let end = usize::from(*self.segment_at.get(index + count)?);
        self.path.or_empty().get(start..end)
    }

    /// What follows the slash before segment `index`, to the end of the path.
    pub fn rest(&self, index: usize) -> Option<&'a [u8]> {
        if index >= usize::from(self.n_segments) {
            return None;
        }
        self.path.or_empty().get(usize::from(self.segment_at[index]) + 1..)
    }
}

/// A bit for each of up to sixteen bytes that is a slash; the first byte is the lowest. Paths are short and full of
/// slashes, for which this beats searching one after the other.
#[inline]
fn slashes(bytes: &[u8]) -> u32 {
    if let Some(both) = bytes.first_chunk::<16>() {
        let both = u128::from_le_bytes(*both);
        return slashes_of_two(low_half(both), low_half(both >> 64));
    }
    let low = word_of(bytes.get(..8).unwrap_or(bytes));
    slashes_of_two(low, word_of(bytes.get(8..).unwrap_or_default()))
}

/// Up to eight bytes as a number, the missing ones zero.
#[inline]
fn word_of(bytes: &[u8]) -> u64 {
    if let (Some(first), Some(last)) = (bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) {
        let moved = 8 * (bytes.len() - 4);
        return u64::from(u32::from_le_bytes(*first)) | (u64::from(u32::from_le_bytes(*last)) << moved);
    }
    match *bytes {
        [a] => u64::from(a),
        [a, b] => u64::from(u16::from_le_bytes([a, b])),
        [a, b, c] => u64::from(u32::from_le_bytes([a, b, c, 0])),
        _ => 0,
    }
}

#[inline]
fn low_half(both: u128) -> u64 {
    #[expect(clippy::cast_possible_truncation, reason = "the lower half is meant")]
    let low = both as u64;
    low
}

#[cfg(target_arch = "x86_64")]
#[inline]
fn slashes_of_two(low: u64, high: u64) -> u32 {
    use std::arch::x86_64::{_mm_cmpeq_epi8, _mm_movemask_epi8, _mm_set_epi64x, _mm_set1_epi8};
    // SAFETY: SSE2 belongs to every x86-64, and none of these touches memory.
    unsafe {
        let bytes = _mm_set_epi64x(high.cast_signed(), low.cast_signed());
        _mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(b'/'.cast_signed()))).cast_unsigned()
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn slashes_of_two(low: u64, high: u64) -> u32 {
    const EACH: u64 = 0x0101_0101_0101_0101;
    let of_one = |word: u64| {
        let difference = word ^ (u64::from(b'/') * EACH);
        // No carry leaves a byte, so every byte is judged exactly.
        let some = (difference & (0x7F * EACH)) + 0x7F * EACH;
        let found = (!(some | difference) & (0x80 * EACH)) >> 7;
        // Bit 8k becomes bit 56 + k.
        u32::try_from(found.wrapping_mul(0x0102_0408_1020_4080) >> 56).unwrap_or(0)
    };
    of_one(low) | (of_one(high) << 8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_lie_between_slashes() {
        for path in [
            "/",
            "/a",
            "//",
            "/a/",
            "/abcdefg/h",
            "/abcdef/gh/",
            "/\u{af}\u{2f}/\u{2e}/0",
            "/a/b/c/d/e/f/g/h/i/j",
            "/abcdefghijklmn/",
            "/abcdefghijklmno/",
            "////////////////////",
            "/0123456789abcdefghijklmnopqrstuvwxyz//x",
        ] {
            let mut view = View::new(&[]);
            assert!(view.set_path(path.as_bytes()));
            let expected: Vec<&[u8]> = path[1..].split('/').map(str::as_bytes).collect();
            let found: Vec<&[u8]> = (0..view.n_segments()).filter_map(|index| view.segment(index)).collect();
            assert_eq!(found, expected, "{path}");
        }
        assert!(!View::new(&[]).set_path("/a".repeat(65).as_bytes()));
        assert!(View::new(&[]).set_path("/a".repeat(64).as_bytes()));
        assert!(!View::new(&[]).set_path(b"a/b"));
    }
}
