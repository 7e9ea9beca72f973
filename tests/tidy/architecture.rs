//! The pages: those that must exist, and the files that tables and `docs/limits.md` name.

use crate::tree::File;

const PAGES: [&str; 12] = [
    "README.md",
    "ARCHITECTURE.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "LICENSE-MIT",
    "LICENSE-APACHE",
    "deny.toml",
    "docs/operations.md",
    "docs/language.md",
    "docs/limits.md",
    "docs/performance.md",
];

/// Where a path in a table may start.
const ROOTS: [&str; 6] = ["", "runtime/src/", "compiler/src/", "lang/src/", "src/", "tests/"];
/// What makes a word in backticks a path.
const ENDINGS: [&str; 9] = [".rs", ".md", ".toml", ".twp", ".pest", ".sh", ".py", ".txt", "/"];

/// Pages and named files that are not there.
pub(crate) fn findings(files: &[File]) -> Vec<String> {
    let has = |path: &str| files.iter().any(|file| file.path == path);
    let mut findings: Vec<String> =
        PAGES.iter().filter(|page| !has(page)).map(|page| format!("{page}: not there")).collect();
    for file in files.iter().filter(|file| file.path == "ARCHITECTURE.md") {
        for (number, line) in file.numbered().filter(|(_, line)| line.starts_with('|')) {
            for path in paths(line).into_iter().filter(|path| !exists(files, path)) {
                findings.push(format!("ARCHITECTURE.md:{number}: `{path}` does not exist"));
            }
        }
    }
    findings.extend(unknown_limits(files));
    findings
}

/// The paths in backticks of a line, with `{a,b}` written out.
fn paths(line: &str) -> Vec<String> {
    let quoted = line.split('`').skip(1).step_by(2);
    quoted
        .filter(|word| ENDINGS.iter().any(|e| word.ends_with(e)) && !word.contains(' '))
        .flat_map(expand)
        .collect()
}

fn expand(path: &str) -> Vec<String> {
    match path.split_once('{').and_then(|(before, rest)| Some((before, rest.split_once('}')?))) {
        Some((before, (list, after))) => list.split(',').map(|one| format!("{before}{one}{after}")).collect(),
        None => vec![path.to_owned()],
    }
}

/// Whether a file, a folder, or at least one file for a pattern with `*` is there.
fn exists(files: &[File], path: &str) -> bool {
    ROOTS.iter().any(|root| {
        let whole = format!("{root}{path}");
        match whole.split_once('*') {
            Some((before, after)) => {
                files.iter().any(|f| f.path.starts_with(before) && f.path.ends_with(after))
            }
            None if whole.ends_with('/') => files.iter().any(|f| f.path.starts_with(&whole)),
            None => files.iter().any(|f| f.path == whole),
        }
    })
}

/// Constants that `docs/limits.md` names and no `limits.rs` has.
fn unknown_limits(files: &[File]) -> Vec<String> {
    let code: String =
        files.iter().filter(|f| f.path.ends_with("src/limits.rs")).map(|f| f.text.as_str()).collect();
    let mut findings = Vec::new();
    for page in files.iter().filter(|f| f.path == "docs/limits.md") {
        for (number, line) in page.numbered().filter(|(_, line)| line.starts_with('|')) {
            for name in line.split('`').skip(1).step_by(2).filter(|word| is_constant(word)) {
                if !code.contains(&format!(" {name}: ")) {
                    findings.push(format!("docs/limits.md:{number}: no `limits.rs` has `{name}`"));
                }
            }
        }
    }
    findings
}

fn is_constant(word: &str) -> bool {
    word.contains('_') && word.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
}

#[test]
fn braces_and_stars_are_understood() {
    assert_eq!(paths("| `wire/{h1,h2}.rs` and `not a path` | `x` |"), ["wire/h1.rs", "wire/h2.rs"]);
    let file = File { path: "runtime/src/tls/keys.rs".to_owned(), text: String::new() };
    assert!(exists(std::slice::from_ref(&file), "tls/*.rs"));
    assert!(!exists(&[file], "tls/other.rs"));
}
