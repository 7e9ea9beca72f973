//! Request targets and their one normal form.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| twp_fuzz_targets::target(bytes));
