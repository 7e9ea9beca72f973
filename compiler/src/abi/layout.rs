//! Where native code finds the fields of a [`View`], and how dumps call them.
//!
//! Taken from the types themselves, so that both sides cannot drift apart; what native code takes for granted beyond
//! the offsets is asserted here.

use super::{Text, View};
use std::mem::{align_of, offset_of, size_of};

/// Offsets in a [`Text`].
pub(crate) const TEXT_PTR: i32 = at(offset_of!(Text<'static>, ptr));
/// Offsets in a [`Text`].
pub(crate) const TEXT_LEN: i32 = at(offset_of!(Text<'static>, len));
/// Bytes of a [`Text`]: the step from one slot to the next.
pub(crate) const TEXT_SIZE: i32 = at(size_of::<Text<'static>>());

/// Offsets in a [`View`].
pub(crate) const METHOD: i32 = at(offset_of!(View<'static>, method));
/// Offsets in a [`View`].
pub(crate) const SCHEME: i32 = at(offset_of!(View<'static>, scheme));
/// Offsets in a [`View`].
pub(crate) const N_SEGMENTS: i32 = at(offset_of!(View<'static>, n_segments));
/// Offsets in a [`View`].
pub(crate) const PORT: i32 = at(offset_of!(View<'static>, port));
/// Offsets in a [`View`].
pub(crate) const CLIENT_IP: i32 = at(offset_of!(View<'static>, client_ip));
/// Offsets in a [`View`].
pub(crate) const HOST: i32 = at(offset_of!(View<'static>, host));
/// Offsets in a [`View`].
pub(crate) const PATH: i32 = at(offset_of!(View<'static>, path));
/// Offsets in a [`View`].
pub(crate) const QUERY: i32 = at(offset_of!(View<'static>, query));
/// Offsets in a [`View`].
pub(crate) const METHOD_TEXT: i32 = at(offset_of!(View<'static>, method_text));
/// Offsets in a [`View`]; 16 bits for each segment.
pub(crate) const SEGMENT_AT: i32 = at(offset_of!(View<'static>, segment_at));
/// Offsets in a [`View`].
pub(crate) const SLOTS: i32 = at(offset_of!(View<'static>, slots));

const _: () = {
    assert!(size_of::<View<'static>>() < 4096);
    assert!(size_of::<Text<'static>>() == 16 && align_of::<Text<'static>>() == 8);
    assert!(offset_of!(Text<'static>, ptr) == 0 && offset_of!(Text<'static>, len) == 8);
    // The words of the address are loaded as such.
    assert!(offset_of!(View<'static>, client_ip).is_multiple_of(8));
};

const fn at(offset: usize) -> i32 {
    assert!(offset < 4096);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_possible_wrap,
        reason = "checked in the line above"
    )]
    let offset = offset as i32;
    offset
}

/// The field of a view that lies at an offset, as dumps call it.
pub(crate) fn view_field(offset: i32) -> Option<String> {
    const TEXTS: [(i32, &str); 4] =
        [(HOST, "host"), (PATH, "path"), (QUERY, "query"), (METHOD_TEXT, "method_text")];
    const OTHERS: [(i32, &str); 7] = [
        (METHOD, "method"),
        (SCHEME, "scheme"),
        (N_SEGMENTS, "n_segments"),
        (PORT, "port"),
        (CLIENT_IP, "client_ip.high"),
        (CLIENT_IP + 8, "client_ip.low"),
        (SLOTS, "slots"),
    ];
    if let Some((_, name)) = OTHERS.iter().find(|(known, _)| *known == offset) {
        return Some(format!("view.{name}"));
    }
    let text = TEXTS.iter().find(|(known, _)| (*known..known + TEXT_SIZE).contains(&offset));
    if let Some((known, name)) = text {
        return text_field(offset - known).map(|field| format!("view.{name}.{field}"));
    }
    let segment = (offset - SEGMENT_AT) / 2;
    let places = i32::try_from(super::SEGMENTS_MAX).unwrap_or(0);
    (0..=places).contains(&segment).then(|| format!("view.segment_at[{segment}]"))
}

/// The field of the slot values that lies at an offset.
pub(crate) fn slot_field(offset: i32) -> Option<String> {
    text_field(offset % TEXT_SIZE).map(|field| format!("slot[{}].{field}", offset / TEXT_SIZE))
}

fn text_field(offset: i32) -> Option<&'static str> {
    match offset {
        TEXT_PTR => Some("ptr"),
        TEXT_LEN => Some("len"),
        _ => None,
    }
}
