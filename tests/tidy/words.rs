//! Words that do not belong here: names of one machine, hosts of registries, second words for one thing.

use crate::tree::File;

/// Second words for things that the glossary already names.
const SYNONYMS: [(&str, &str); 4] =
    [("downstream", "client"), ("backend", "upstream"), ("cluster", "upstream"), ("vhost", "site")];

/// Where such a word may stand, and why.
const EXCUSED: [(&str, &str); 4] = [
    ("tests/tidy/words.rs", "names them to find them"),
    ("ARCHITECTURE.md", "the glossary says which words it replaces"),
    ("lang/src/parse/habits/foreign.rs", "recognises what people are used to write for other proxies"),
    ("LICENSE-APACHE", "not our text"),
];

/// Text that speaks of a machine, or of where packages are fetched from. In pieces, so that this file is clean.
fn foreign_words() -> Vec<String> {
    let pieces: [&[&str]; 9] = [
        &["/wor", "k/"],
        &["/far", "m/"],
        &["crates", ".io"],
        &["pypi", ".org"],
        &["npmjs", ".org"],
        &["npmjs", ".com"],
        &["proxy.golang", ".org"],
        &["deb.debian", ".org"],
        &["/home", "/"],
    ];
    pieces.iter().map(|piece| piece.concat()).collect()
}

/// Lines with text that speaks of something else than the project.
pub(crate) fn foreign(files: &[File]) -> Vec<String> {
    let words = foreign_words();
    // Lock files name the registry in every entry; Cargo writes them.
    let files = files.iter().filter(|file| !file.path.ends_with("Cargo.lock"));
    find(files, |line| words.iter().find(|word| line.contains(word.as_str())).map(|word| format!("`{word}`")))
}

/// Lines that use a second word for a thing.
pub(crate) fn synonyms(files: &[File]) -> Vec<String> {
    let files = files
        .iter()
        .filter(|f| f.is("rs") || f.is("md") || f.is("twp") || f.is("pest"))
        .filter(|f| EXCUSED.iter().all(|(path, _)| *path != f.path));
    find(files, |line| {
        let lower = line.to_ascii_lowercase();
        let mut words = lower.split(|c: char| !c.is_ascii_alphanumeric());
        let (word, ours) = words.find_map(|w| {
            SYNONYMS.iter().find(|(synonym, _)| w == *synonym || w.strip_suffix('s') == Some(*synonym))
        })?;
        Some(format!("`{word}`; our word is `{ours}`"))
    })
}

fn find<'a>(files: impl Iterator<Item = &'a File>, test: impl Fn(&str) -> Option<String>) -> Vec<String> {
    let mut findings = Vec::new();
    for file in files {
        for (number, line) in file.numbered() {
            if let Some(what) = test(line) {
                findings.push(format!("{}:{number}: {what}", file.path));
            }
        }
    }
    findings
}
