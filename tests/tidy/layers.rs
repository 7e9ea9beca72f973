//! The layers inside `runtime/src`: a file uses only its own row and the rows above it.

use crate::tree::File;

const FOLDER: &str = "runtime/src/";

/// From the bottom of the runtime to its top: the name of a row, and its modules.
const ROWS: &[(&str, &[&str])] = &[
    ("facts and the operating system", &["limits", "time", "sys", "perf_map"]),
    ("pure protocol code", &["wire"]),
    ("what every stage may use", &["error", "buffer", "socket", "group", "local"]),
    ("bytes and identity", &["tls", "listen", "quic"]),
    ("connections that yield exchanges", &["http"]),
    ("the other side", &["upstream"]),
    (
        "what happens to an exchange",
        &[
            "view", "filters", "body", "cache", "files", "relay", "respond", "record", "log", "metrics",
            "echo",
        ],
    ),
    ("the order of stages", &["context", "exchange", "tunnel"]),
    ("processes", &["worker", "control", "generation", "supervisor", "handover", "admin", "acme", "watch"]),
];

/// Uses that point upwards, and modules that have no row.
pub(crate) fn findings(files: &[File]) -> Vec<String> {
    let mut findings = Vec::new();
    for file in files.iter().filter(|f| f.is("rs") && f.path.starts_with(FOLDER)) {
        let module = module_of(&file.path);
        if module == "lib" {
            continue;
        }
        let Some(own) = row_of(module) else {
            findings.push(format!("{}: give `{module}` a row in tests/tidy/layers.rs", file.path));
            continue;
        };
        for used in used_modules(file.code()) {
            if let Some(row) = row_of(&used).filter(|row| *row > own) {
                let (mine, theirs) = (ROWS[own].0, ROWS[row].0);
                findings.push(format!("{}: `{module}` ({mine}) uses `crate::{used}` ({theirs})", file.path));
            }
        }
    }
    findings
}

/// The top module that a file belongs to.
fn module_of(path: &str) -> &str {
    let rest = path.strip_prefix(FOLDER).unwrap_or(path);
    rest.split('/').next().unwrap_or(rest).trim_end_matches(".rs")
}

fn row_of(module: &str) -> Option<usize> {
    ROWS.iter().position(|(_, modules)| modules.contains(&module))
}

/// The first names after `crate::`, those of `crate::{…}` included.
fn used_modules(code: &str) -> Vec<String> {
    let code: String =
        code.lines().filter(|l| !l.trim_start().starts_with("//")).flat_map(|l| [l, "\n"]).collect();
    let mut used = Vec::new();
    for rest in code.split("crate::").skip(1) {
        match rest.strip_prefix('{') {
            Some(list) => used.extend(first_names(list)),
            None => used.push(name_at(rest)),
        }
    }
    used.sort();
    used.dedup();
    used
}

/// The names at the first level of a braced list.
fn first_names(list: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut depth = 0;
    let mut fresh = true;
    for (at, c) in list.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => fresh = true,
            c if fresh && depth == 0 && !c.is_whitespace() => {
                names.push(name_at(&list[at..]));
                fresh = false;
            }
            _ => {}
        }
    }
    names
}

fn name_at(text: &str) -> String {
    text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
}

#[test]
fn names_are_found_in_every_form_of_use() {
    let code = "use crate::sys::fd;\nuse crate::{wire::{a, b}, upstream, log::Record};\n// crate::worker\ncrate::time::now()";
    assert_eq!(used_modules(code), ["log", "sys", "time", "upstream", "wire"]);
}
