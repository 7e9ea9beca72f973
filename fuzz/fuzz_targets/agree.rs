//! Programs and requests made of the bytes, on every engine.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| twp_fuzz_targets::agree(bytes));
