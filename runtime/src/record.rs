//! The record: exactly one log entry per exchange, written when its guard is dropped, so that cancelled exchanges are
//! logged too (APP-08).
//!
//! A record is one line of JSON in ASCII, strictly escaped, at most `RECORD_BYTES_MAX` bytes: long texts are cut
//! and end in an ellipsis. It never holds queries, bodies or header values.

use crate::limits::{RECORD_BYTES_MAX, RECORD_NAME_BYTES_MAX, RECORD_PATH_BYTES_MAX, RECORD_WORD_BYTES_MAX};
use crate::log::WorkerLog;
use crate::wire::date::write_rfc3339;
use crate::wire::h1::encode::write_number;
use std::io::Write as _;
use std::net::IpAddr;
use std::time::Instant;

/// Whose fault an exchange's failure is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Fault {
    /// It did not fail.
    #[default]
    None,
    /// The client's: it sent what we refuse, or went away.
    Client,
    /// The upstream's.
    Upstream,
    /// Ours.
    Twp,
}

impl Fault {
    /// The word in records.
    pub fn as_str(self) -> &'static str {
        match self {
            Fault::None => "none",
            Fault::Client => "client",
            Fault::Upstream => "upstream",
            Fault::Twp => "twp",
        }
    }
}

/// The record of an exchange under way. Set the fields as they become known.
#[derive(Debug)]
pub struct Record<'a> {
    /// Status sent to the client; 0 when none was sent.
    pub status: u16,
    /// Body bytes from the client.
    pub bytes_in: u64,
    /// Body bytes to the client.
    pub bytes_out: u64,
    /// Name of the site; empty when none was found.
    pub site: &'a str,
    /// Name of the route.
    pub route: &'a str,
    /// Name of the upstream; empty when none was asked.
    pub upstream: &'a str,
    /// Whose fault the failure is.
    pub fault: Fault,
    /// Stable code of the failure; empty when there was none.
    pub reason: &'static str,
    log: &'a WorkerLog,
    started: Instant,
    is_silent: bool,
    memory: RecordMemory,
}

/// The texts of a record: reused from record to record.
#[derive(Debug, Default)]
pub(crate) struct RecordMemory {
    /// The line so far.
    line: Vec<u8>,
    /// The server asked last.
    server: Vec<u8>,
}

/// The moment an exchange began, on both clocks.
#[derive(Clone, Copy, Debug)]
pub struct Start {
    /// Milliseconds since 1970, for people.
    pub unix_millis: u64,
    /// For the duration.
    pub instant: Instant,
}

impl<'a> Record<'a> {
    /// Opens the record of an exchange that begins now.
    pub fn open(log: &'a WorkerLog, start: Start, client: IpAddr) -> Record<'a> {
        let mut memory = RecordMemory::default();
        if log.is_on() {
            memory = log.memory();
            let line = &mut memory.line;
            line.extend_from_slice(b"{\"time\":\"");
            write_rfc3339(start.unix_millis, line);
            line.extend_from_slice(b"\",\"client\":\"");
            write_address(client, line);
            line.push(b'"');
        }
        Record {
            status: 0,
            bytes_in: 0,
            bytes_out: 0,
            site: "",
            route: "",
            upstream: "",
            fault: Fault::None,
            reason: "",
            log,
            started: start.instant,
            is_silent: false,
            memory,
        }
    }

    /// Says what was asked for: the normalised target, or of a refused head what could be read. Once per record.
    pub fn request(&mut self, method: &[u8], host: &[u8], path: &[u8]) {
        if self.log.is_on() {
            let line = &mut self.memory.line;
            write_text("method", method, RECORD_WORD_BYTES_MAX, line);
            write_text("host", host, RECORD_NAME_BYTES_MAX, line);
            write_text("path", path, RECORD_PATH_BYTES_MAX, line);
        }
    }

    /// Says which server is asked; of several tries the last one stands.
    pub fn server(&mut self, address: &[u8]) {
        if self.log.is_on() {
            self.memory.server.clear();
            self.memory.server.extend_from_slice(address);
        }
    }

    /// Says why the exchange failed. The first failure stands: later ones follow from it.
    pub fn fail(&mut self, fault: Fault, reason: &'static str) {
        if self.fault == Fault::None {
            self.fault = fault;
            self.reason = reason;
        }
    }

    /// Leaves the exchange out of the log: its route says so.
    pub fn silence(&mut self) {
        self.is_silent = true;
    }
}

impl Drop for Record<'_> {
    fn drop(&mut self) {
        if !self.log.is_on() {
            return;
        }
        let mut memory = std::mem::take(&mut self.memory);
        if !self.is_silent {
            self.finish(&mut memory);
            debug_assert!(
                memory.line.len() <= RECORD_BYTES_MAX,
                "the limits of the texts keep a record small"
            );
            self.log.push(&memory.line);
        }
        memory.line.clear();
        memory.server.clear();
        self.log.keep(memory);
    }
}

impl Record<'_> {
    fn finish(&self, memory: &mut RecordMemory) {
        let line = &mut memory.line;
        let micros = u64::try_from(self.started.elapsed().as_micros()).unwrap_or(u64::MAX);
        write_count("status", u64::from(self.status), line);
        write_count("bytes_in", self.bytes_in, line);
        write_count("bytes_out", self.bytes_out, line);
        write_count("duration_us", micros, line);
        let texts = [
            ("site", self.site.as_bytes()),
            ("route", self.route.as_bytes()),
            ("upstream", self.upstream.as_bytes()),
            ("server", &memory.server),
        ];
        for (key, text) in texts {
            if !text.is_empty() {
                write_text(key, text, RECORD_NAME_BYTES_MAX, line);
            }
        }
        write_text("fault", self.fault.as_str().as_bytes(), RECORD_WORD_BYTES_MAX, line);
        if !self.reason.is_empty() {
            write_text("reason", self.reason.as_bytes(), RECORD_WORD_BYTES_MAX, line);
        }
        line.extend_from_slice(b"}\n");
    }
}

/// Appends the line that tells how many records were lost before it.
pub(crate) fn write_dropped(count: u64, unix_millis: u64, line: &mut Vec<u8>) {
    line.extend_from_slice(b"{\"time\":\"");
    write_rfc3339(unix_millis, line);
    line.extend_from_slice(b"\",\"event\":\"records_dropped\"");
    write_count("count", count, line);
    line.extend_from_slice(b"}\n");
}

fn write_address(address: IpAddr, line: &mut Vec<u8>) {
    match address.to_canonical() {
        IpAddr::V4(v4) => {
            let [first, rest @ ..] = v4.octets();
            write_number(u64::from(first), line);
            for octet in rest {
                line.push(b'.');
                write_number(u64::from(octet), line);
            }
        }
        // Writing to a Vec cannot fail.
        IpAddr::V6(v6) => drop(write!(line, "{v6}")),
    }
}

fn write_count(key: &str, count: u64, line: &mut Vec<u8>) {
    line.extend_from_slice(b",\"");
    line.extend_from_slice(key.as_bytes());
    line.extend_from_slice(b"\":");
    write_number(count, line);
}

fn write_text(key: &str, text: &[u8], bytes_max: usize, line: &mut Vec<u8>) {
    line.extend_from_slice(b",\"");
    line.extend_from_slice(key.as_bytes());
    line.extend_from_slice(b"\":\"");
    write_escaped(text, bytes_max, line);
    line.push(b'"');
}

/// Appends text so that nothing but printable ASCII comes out, at most `bytes_max` bytes of it.
fn write_escaped(text: &[u8], bytes_max: usize, line: &mut Vec<u8>) {
    const ELLIPSIS: &[u8] = b"\\u2026";
    let n_plain = text.iter().take_while(|byte| is_plain(**byte)).count();
    if n_plain == text.len() && n_plain <= bytes_max {
        line.extend_from_slice(text);
        return;
    }
    // Room for the ellipsis is kept from the start, so a cut never goes back.
    let end = line.len() + bytes_max.saturating_sub(ELLIPSIS.len());
    let mut units = [0; 2];
    for chunk in text.utf8_chunks() {
        let invalid = if chunk.invalid().is_empty() { None } else { Some(char::REPLACEMENT_CHARACTER) };
        for char in chunk.valid().chars().chain(invalid) {
            // The longest escape is a pair of surrogates.
            if line.len() + 2 * ELLIPSIS.len() > end {
                line.extend_from_slice(ELLIPSIS);
                return;
            }
            match u8::try_from(char) {
                Ok(byte) if is_plain(byte) => line.push(byte),
                Ok(byte @ (b'"' | b'\\')) => line.extend_from_slice(&[b'\\', byte]),
                Ok(_) | Err(_) => {
                    for unit in char.encode_utf16(&mut units) {
                        drop(write!(line, "\\u{unit:04x}"));
                    }
                }
            }
        }
    }
}

fn is_plain(byte: u8) -> bool {
    matches!(byte, 0x20..=0x7e) && byte != b'"' && byte != b'\\'
}

#[cfg(test)]
mod tests;
