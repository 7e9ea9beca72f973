//! The programs in the pages: each block marked `twp` is checked.
//!
//! A block is one program; lines `// path.twp` (or any other path with a dot) start its files, the first is the entry
//! file. A block may show one declaration only: the edition and a site are added when they are missing. A code behind
//! the mark, as in `twp E0230`, is the one finding the program must give; without one it gives none.

use std::fs;
use std::path::{Path, PathBuf};
use twp::load::{self, SourceFile};
use twp_lang::module::TextFiles;

/// A marked block: where it stands, what stands behind its mark, its text.
struct Block {
    place: String,
    wanted: String,
    text: String,
}

fn blocks() -> Vec<Block> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut pages: Vec<PathBuf> = ["", "docs", "docs/language"]
        .into_iter()
        .flat_map(|folder| fs::read_dir(root.join(folder)).expect("a folder of pages"))
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "md"))
        .collect();
    pages.sort();
    pages.iter().flat_map(|page| blocks_of(page)).collect()
}

fn blocks_of(path: &Path) -> Vec<Block> {
    let page = fs::read_to_string(path).expect("a page is text");
    let mut blocks = Vec::new();
    let mut open: Option<Block> = None;
    for (number, line) in (1..).zip(page.lines()) {
        match (&mut open, line.strip_prefix("```")) {
            (Some(_), Some(_)) => blocks.extend(open.take()),
            (Some(block), None) => block.text.extend([line, "\n"]),
            (None, Some(mark)) if mark == "twp" || mark.starts_with("twp ") => {
                let place = format!("{}:{number}", path.display());
                let wanted = mark.trim_start_matches("twp").trim().to_owned();
                open = Some(Block { place, wanted, text: String::new() });
            }
            (None, _) => {}
        }
    }
    blocks
}

/// The path that a line names when it starts a file.
fn file_name(line: &str) -> Option<&str> {
    let path = line.strip_prefix("// ")?;
    let is_path = path.contains('.') && !path.ends_with('.') && !path.contains(' ');
    is_path.then_some(path)
}

/// The entry file and the others.
fn files(text: &str) -> (String, TextFiles) {
    let mut parts: Vec<(&str, String)> = Vec::new();
    for line in text.lines() {
        match (file_name(line), parts.last_mut()) {
            (Some(path), _) => parts.push((path, String::new())),
            (None, Some((_, text))) => text.extend([line, "\n"]),
            (None, None) => parts.push(("site.twp", format!("{line}\n"))),
        }
    }
    let mut parts = parts.into_iter();
    let mut entry = parts.next().map(|(_, text)| text).unwrap_or_default();
    if !entry.contains("edition ") {
        entry.insert_str(0, "edition 1\n");
    }
    if !text.contains("site ") {
        entry.push_str("site * { respond 204 }\n");
    }
    (entry, parts.fold(TextFiles::new(), |files, (path, text)| files.with(path, text)))
}

#[test]
fn every_block_does_what_it_says() {
    let blocks = blocks();
    assert!(blocks.len() >= 10, "only {} blocks", blocks.len());
    let mut wrong = Vec::new();
    for Block { place, wanted, text } in &blocks {
        let (entry, mut files) = files(text);
        let checked = load::check(SourceFile { name: "site.twp".to_owned(), text: entry }, &mut files);
        let codes: Vec<&str> = checked.diagnostics.iter().map(|found| found.code).collect();
        let is_right = if wanted.is_empty() { codes.is_empty() } else { codes == [wanted.as_str()] };
        if !is_right {
            wrong.push(format!("{place}: wanted `{wanted}`, found {:#?}", checked.diagnostics));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
