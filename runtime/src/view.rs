//! Builds the [`View`] that a program decides on, from a parsed head and its normalised target.
//!
//! Only what the program reads is looked for: one probe per field line, and cookies and query are split only when
//! some condition or value names one. Nothing is allocated once the memory for slots has grown.

use crate::wire::field::{FieldId, trim_blanks};
use crate::wire::h1::request::{RequestHead, TargetForm};
use crate::wire::h1::{Framing, Version};
use crate::wire::target::Target;
use std::net::IpAddr;
use twp_compiler::SlotIndex;
use twp_compiler::abi::{SCHEME_HTTP, SCHEME_HTTPS, Text, View};
use twp_compiler::plan::ListenerId;

/// Memory for the slot values of one request after another.
#[derive(Debug, Default)]
pub struct SlotMemory {
    /// Empty between requests: only its allocation is kept.
    values: Vec<Text<'static>>,
}

impl SlotMemory {
    /// The memory for a request; give it back when the view is gone. A request that is cancelled just loses it.
    pub fn take<'a>(&mut self) -> Vec<Text<'a>> {
        std::mem::take(&mut self.values)
    }

    /// Takes the memory back.
    pub fn give_back(&mut self, mut values: Vec<Text<'_>>) {
        values.clear();
        // Collecting in place keeps the allocation and leaves the lifetime behind; there is nothing to convert.
        self.values = values.into_iter().map(|_| Text::ABSENT).collect();
    }
}

/// What a view says beside the head.
#[derive(Clone, Copy, Debug)]
pub struct Around {
    /// The listener that accepted the connection.
    pub listener: ListenerId,
    /// Whether the client speaks TLS with us.
    pub https: bool,
    /// The client's address, perhaps as trusted proxies name it.
    pub client: IpAddr,
    /// Whether the peer is a trusted proxy: only then do rules see what it says about the client.
    pub peer_is_trusted: bool,
}

/// A request head with the bytes it was parsed from and its normalised target.
#[derive(Clone, Copy, Debug)]
pub struct Parsed<'a> {
    /// The head.
    pub head: &'a RequestHead,
    /// Its bytes.
    pub bytes: &'a [u8],
    /// Its target.
    pub target: Target<'a>,
}

/// Fills the slots that the program reads: of repeated fields, cookies and query fields the first counts.
pub fn fill_slots<'a>(slots: &mut Vec<Text<'a>>, index: &SlotIndex, parsed: &Parsed<'a>, around: &Around) {
    slots.clear();
    if index.is_empty() {
        return;
    }
    slots.resize(index.len(), Text::ABSENT);
    for field in &parsed.head.fields {
        if !field.is_visible(around.peer_is_trusted) {
            continue;
        }
        let value = field.value.of(parsed.bytes);
        if let Some(slot) = index.header(field.name.of(parsed.bytes)) {
            fill(slots, slot, value);
        }
        if field.id == FieldId::Cookie && index.reads_cookies() {
            fill_cookies(slots, index, value);
        }
    }
    if index.reads_query()
        && let Some(query) = parsed.target.query
    {
        fill_query(slots, index, query);
    }
}

/// The view of a request over its slots, or `None` when its target has no path (CONNECT, `OPTIONS *`).
pub fn build<'a>(slots: &'a [Text<'a>], parsed: &Parsed<'a>, around: &Around) -> Option<View<'a>> {
    let Parsed { head, bytes, target } = *parsed;
    match head.form {
        TargetForm::Origin | TargetForm::Absolute => {}
        TargetForm::Authority | TargetForm::Asterisk => return None,
    }
    let mut view = View::new(slots);
    if !view.set_path(target.path) {
        return None;
    }
    view.method = head.method;
    view.method_text = Text::new(head.method_text.of(bytes));
    view.scheme = if around.https { SCHEME_HTTPS } else { SCHEME_HTTP };
    view.version = match head.version {
        Version::Http10 => 10,
        Version::Http11 => 11,
    };
    view.listener = around.listener;
    view.port = target.port.unwrap_or(if around.https { 443 } else { 80 });
    view.content_length = match head.framing {
        Framing::Length(length) => i64::try_from(length).unwrap_or(i64::MAX),
        Framing::None | Framing::Chunked | Framing::UntilClose => -1,
    };
    view.client_ip = match around.client {
        IpAddr::V4(v4) => v4.to_ipv6_mapped().octets(),
        IpAddr::V6(v6) => v6.octets(),
    };
    view.host = Text::new(target.host);
    view.query = target.query.map_or(Text::ABSENT, Text::new);
    Some(view)
}

#[inline]
fn fill<'a>(slots: &mut [Text<'a>], slot: u16, value: &'a [u8]) {
    if let Some(place) = slots.get_mut(usize::from(slot))
        && place.bytes().is_none()
    {
        *place = Text::new(value);
    }
}

/// RFC 6265 section 4.2.1: pairs separated by semicolons. A piece without `=` names nothing.
fn fill_cookies<'a>(slots: &mut [Text<'a>], index: &SlotIndex, line: &'a [u8]) {
    for pair in line.split(|byte| *byte == b';') {
        let Some(at) = memchr::memchr(b'=', pair) else { continue };
        let (name, value) = (pair.get(..at).unwrap_or_default(), pair.get(at + 1..).unwrap_or_default());
        if let Some(slot) = index.cookie(trim_blanks(name)) {
            fill(slots, slot, trim_blanks(value));
        }
    }
}

/// Pairs separated by ampersands; a name without `=` has an empty value.
fn fill_query<'a>(slots: &mut [Text<'a>], index: &SlotIndex, query: &'a [u8]) {
    for pair in query.split(|byte| *byte == b'&') {
        let at = memchr::memchr(b'=', pair).unwrap_or(pair.len());
        let (name, value) = (pair.get(..at).unwrap_or_default(), pair.get(at + 1..).unwrap_or_default());
        if let Some(slot) = index.query(name) {
            fill(slots, slot, value);
        }
    }
}

#[cfg(test)]
mod tests;
