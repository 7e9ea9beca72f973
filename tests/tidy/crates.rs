//! The manifests: dependencies run in one line, and each crate names only what is its business.

use crate::tree::File;

/// The crates in the order "is used by".
const LINE: [(&str, &str); 4] = [
    ("lang/Cargo.toml", "twp-lang"),
    ("compiler/Cargo.toml", "twp-compiler"),
    ("runtime/Cargo.toml", "twp-runtime"),
    ("Cargo.toml", "twp"),
];

/// Who alone may name which libraries; a name ends with `*` for all that begin so.
const OWNERS: [(&str, &[&str]); 3] = [
    ("compiler/Cargo.toml", &["cranelift*"]),
    (
        "runtime/Cargo.toml",
        &["tokio*", "rustls*", "quinn*", "h2", "h3*", "socket2", "nix", "libc", "notify", "hyper*"],
    ),
    ("Cargo.toml", &["clap", "annotate-snippets", "lsp-types"]),
];

/// All that the pure language crate may depend on.
const LANG_MAY: [&str; 3] = ["pest", "pest_derive", "regex-syntax"];

/// What breaks the rules.
pub(crate) fn findings(files: &[File]) -> Vec<String> {
    let mut findings = Vec::new();
    // What measures or attacks the crates stands outside of their line.
    let is_outside = |file: &File| ["fuzz/", "bench/"].iter().any(|folder| file.path.starts_with(folder));
    let manifests: Vec<&File> =
        files.iter().filter(|f| f.path.ends_with("Cargo.toml") && !is_outside(f)).collect();
    for manifest in &manifests {
        if !manifest.text.contains("[lints]\nworkspace = true") {
            findings.push(format!("{}: `[lints] workspace = true` is missing", manifest.path));
        }
        for name in dependencies(&manifest.text, "[dependencies]") {
            findings.extend(check(&manifest.path, &name));
        }
    }
    for (path, _) in LINE {
        if !manifests.iter().any(|m| m.path == path) {
            findings.push(format!("{path}: not there"));
        }
    }
    findings
}

fn check(path: &str, name: &str) -> Option<String> {
    let owner = OWNERS.iter().find(|(_, names)| names.iter().any(|pattern| fits(pattern, name)));
    if let Some((owner, _)) = owner.filter(|(owner, _)| *owner != path) {
        return Some(format!("{path}: only {owner} may name `{name}`"));
    }
    let own = LINE.iter().position(|(manifest, _)| *manifest == path);
    if let Some(used) = LINE.iter().position(|(_, crate_name)| *crate_name == name) {
        return match own {
            Some(own) if used < own => None,
            Some(_) => Some(format!("{path}: `{name}` comes later in the line of crates")),
            None => Some(format!("{path}: stands outside of the line of crates and may not use `{name}`")),
        };
    }
    (own == Some(0) && !LANG_MAY.contains(&name))
        .then(|| format!("{path}: the language crate is pure; why `{name}`?"))
}

fn fits(pattern: &str, name: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(start) => name.starts_with(start),
        None => pattern == name,
    }
}

/// The names in one section of a manifest, without what only a feature for tests brings.
fn dependencies(manifest: &str, section: &str) -> Vec<String> {
    manifest
        .lines()
        .skip_while(|line| line.trim() != section)
        .skip(1)
        .take_while(|line| !line.starts_with('['))
        .filter(|line| !line.contains("optional = true"))
        .filter_map(|line| line.split(['=', '.']).next())
        .map(|name| name.trim().to_owned())
        .filter(|name| !name.is_empty() && !name.starts_with('#'))
        .collect()
}

#[test]
fn back_edges_and_strangers_are_found() {
    assert!(check("lang/Cargo.toml", "twp-compiler").is_some());
    assert!(check("compiler/Cargo.toml", "tokio-util").is_some());
    assert!(check("lang/Cargo.toml", "serde").is_some());
    assert!(check("runtime/Cargo.toml", "twp-lang").is_none());
    assert!(check("tests/kit/Cargo.toml", "twp-runtime").is_some());
}
