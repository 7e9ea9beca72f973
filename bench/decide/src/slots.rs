//! How long it takes to find out which fields of a request a program reads.

use std::hint::black_box;
use twp_compiler::SlotIndex;
use twp_compiler::plan::Slot;

/// Names that programs read.
const READ: [&str; 20] = [
    "x-api-key",
    "user-agent",
    "x-request-id",
    "authorization",
    "accept",
    "x-forwarded-proto",
    "referer",
    "content-type",
    "if-none-match",
    "x-tenant",
    "x-version",
    "origin",
    "x-debug",
    "accept-language",
    "x-beta",
    "range",
    "x-trace",
    "dnt",
    "x-client-version",
    "te",
];

/// Names that a browser sends.
const SENT: [&str; 16] = [
    "Host",
    "User-Agent",
    "Accept",
    "Accept-Language",
    "Accept-Encoding",
    "Connection",
    "Cookie",
    "Referer",
    "Upgrade-Insecure-Requests",
    "Sec-Fetch-Dest",
    "Sec-Fetch-Mode",
    "Sec-Fetch-Site",
    "Sec-Fetch-User",
    "Priority",
    "If-None-Match",
    "X-Request-Id",
];

/// Looks up the fields of this many requests for a program that reads some names; how many were found.
pub(crate) fn find(names: usize, requests: usize) -> usize {
    let slots: Vec<Slot> = READ.iter().take(names).map(|name| Slot::Header((*name).to_owned())).collect();
    let index = SlotIndex::new(&slots);
    let mut found = 0;
    for _ in 0..requests {
        for name in &SENT {
            found += usize::from(index.header(black_box(name.as_bytes())).is_some());
        }
    }
    found
}
