//! Chunked bodies, whole and in pieces.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| twp_fuzz_targets::chunks(bytes));
