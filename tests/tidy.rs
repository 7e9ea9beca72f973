//! Checks the repository itself: sizes, layers, dependencies, words, examples, pages.
//!
//! What a reviewer would say twice stands here. It reads files only, starts nothing, and says for each finding where
//! it is and what to do.

#[path = "tidy/architecture.rs"]
mod architecture;
#[path = "tidy/crates.rs"]
mod crates;
#[path = "tidy/layers.rs"]
mod layers;
#[path = "tidy/tree.rs"]
mod tree;
#[path = "tidy/words.rs"]
mod words;

use tree::{File, tree};

/// Lines of a file before its tests.
const FILE_LINES_MAX: usize = 800;
/// From here on a file is worth a thought; told, not refused.
const FILE_LINES_THOUGHT: usize = 500;
/// Lines of an example.
const EXAMPLE_LINES_MAX: usize = 60;
/// The only files that may opt out of safe Rust, as path prefixes; the last seven are tests and a bench with allocators that
/// count, guard pages and a system call filter.
const UNSAFE_FILES: [&str; 12] = [
    "compiler/src/abi.rs",
    "compiler/src/jit.rs",
    "compiler/src/jit/",
    "runtime/src/view.rs",
    "runtime/src/sys",
    "compiler/tests/no_allocation.rs",
    "compiler/tests/growth.rs",
    "compiler/src/testing/guarded.rs",
    "compiler/tests/native_refused/refusal.rs",
    "tests/e2e_engine/refused.rs",
    "runtime/tests/steady_state.rs",
    "bench/decide/src/allocations.rs",
];

/// Fails with all findings at once.
fn report(findings: &[String]) {
    assert!(findings.is_empty(), "{} findings:\n{}", findings.len(), findings.join("\n"));
}

fn rust_files() -> impl Iterator<Item = &'static File> {
    tree().iter().filter(|file| file.is("rs"))
}

#[test]
fn files_are_short() {
    let mut findings = Vec::new();
    for file in rust_files() {
        let lines = file.code().lines().count();
        if lines > FILE_LINES_MAX {
            findings.push(format!("{}: {lines} lines; split it along an idea", file.path));
        } else if lines > FILE_LINES_THOUGHT {
            println!("{}: {lines} lines, worth a thought", file.path);
        }
    }
    report(&findings);
}

#[test]
fn every_file_says_what_it_is_for() {
    let silent = rust_files().filter(|file| !file.text.starts_with("//! "));
    report(&silent.map(|file| format!("{}: must open with `//!`", file.path)).collect::<Vec<_>>());
}

#[test]
fn lints_are_expected_with_a_reason_never_allowed() {
    let patterns = [["#[", "allow("].concat(), ["#![", "allow("].concat()];
    let mut findings = Vec::new();
    for file in rust_files() {
        for (number, line) in file.numbered() {
            if patterns.iter().any(|pattern| line.contains(pattern)) {
                findings.push(format!("{}:{number}: use `#[expect(lint, reason = \"…\")]`", file.path));
            }
        }
        if file.text.contains("#[expect(") && !file.text.contains("reason =") {
            findings.push(format!("{}: `#[expect]` needs its reason", file.path));
        }
    }
    report(&findings);
}

#[test]
fn modules_are_named_after_themselves() {
    let bad = rust_files().filter(|file| file.path.ends_with("/mod.rs"));
    report(&bad.map(|file| format!("{}: use `foo.rs` beside `foo/`", file.path)).collect::<Vec<_>>());
}

#[test]
fn unsafe_code_stays_in_its_places() {
    let mut findings = Vec::new();
    for file in rust_files().filter(|file| !UNSAFE_FILES.iter().any(|place| file.path.starts_with(place))) {
        for (number, line) in file.numbered().filter(|(_, line)| !line.trim_start().starts_with("//")) {
            let mut words = line.split(|c: char| !c.is_alphanumeric() && c != '_');
            if words.any(|word| word == ["un", "safe"].concat()) {
                findings.push(format!(
                    "{}:{number}: not in the list of places that may opt out of safe Rust",
                    file.path
                ));
            }
        }
    }
    report(&findings);
}

#[test]
fn runtime_files_use_their_row_and_the_rows_above() {
    report(&layers::findings(tree()));
}

#[test]
fn crates_depend_in_one_line() {
    report(&crates::findings(tree()));
}

#[test]
fn the_project_speaks_of_itself_alone() {
    report(&words::foreign(tree()));
}

#[test]
fn one_word_per_thing() {
    report(&words::synonyms(tree()));
}

#[test]
fn examples_are_short_and_say_how_to_try_them() {
    let mut findings = Vec::new();
    let examples: Vec<_> = tree().iter().filter(|f| f.path.starts_with("examples/") && f.is("twp")).collect();
    for file in &examples {
        let lines = file.text.lines().count();
        if lines >= EXAMPLE_LINES_MAX {
            findings
                .push(format!("{}: {lines} lines; an example has less than {EXAMPLE_LINES_MAX}", file.path));
        }
        let comment: String = file.text.lines().take_while(|line| line.starts_with("//")).collect();
        if !comment.contains("curl ") {
            findings.push(format!("{}: the first comment must say how to try it with curl", file.path));
        }
    }
    assert!(examples.len() >= 7, "only {} examples", examples.len());
    report(&findings);
}

#[test]
fn the_pages_are_there_and_name_what_exists() {
    report(&architecture::findings(tree()));
}
