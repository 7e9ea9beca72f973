//! Any text through the language and the compiler.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| twp_fuzz_targets::parse(bytes));
