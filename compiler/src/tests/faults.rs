//! The tests of agreement are tested: every seeded fault of the code generator has to make them fail.
//!
//! A fault may read beyond a text and die at a guard page, so each runs in a process of its own.

use super::agreement;
use crate::codegen::fault::{self, Fault};
use std::process::{Command, Stdio};

/// Pairs compared with a fault: several times what the hardest one needs.
const PAIRS: usize = 30_000;

#[test]
#[ignore = "the test below runs it once for each fault"]
fn agreement_with_a_seeded_fault() {
    let name = std::env::var("TWP_FAULT").expect("the name of a fault");
    if name != "none" {
        let seeded = Fault::ALL.iter().find(|fault| format!("{fault:?}") == name).expect("a known fault");
        fault::activate(*seeded);
    }
    agreement::run(7, PAIRS);
}

#[test]
fn every_seeded_fault_is_caught() {
    let passes = |name: &str| {
        let mut child = Command::new(std::env::current_exe().expect("this program"));
        child.args(["--exact", "tests::faults::agreement_with_a_seeded_fault", "--ignored"]);
        child.env("TWP_FAULT", name).stdout(Stdio::null()).stderr(Stdio::null());
        child.status().expect("a child process").success()
    };
    assert!(passes("none"), "without a fault all must agree");
    let mut missed = Vec::new();
    for fault in Fault::ALL {
        let name = format!("{fault:?}");
        let is_missed = passes(&name);
        println!("{name}: {}", if is_missed { "MISSED" } else { "caught" });
        missed.extend(is_missed.then_some(name));
    }
    println!("{} faults, {} missed", Fault::ALL.len(), missed.len());
    assert!(missed.is_empty(), "not caught: {missed:?}");
}
