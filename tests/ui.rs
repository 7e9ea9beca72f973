//! What a person sees: each `tests/ui/*.twp` with the expected text beside it in `*.stderr`. Modules of a case lie in
//! a folder of its name.
//!
//! `TWP_BLESS=1 cargo test --test ui` writes the expected texts anew; read the difference before keeping it.

use std::fs;
use std::path::{Path, PathBuf};
use twp::files::Disk;
use twp::load::{self, SourceFile};
use twp::render::{Texts, human, summary};
use twp_lang::Level;

fn cases() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ui");
    let entries =
        fs::read_dir(folder).expect("the folder of cases").map(|entry| entry.expect("an entry").path());
    let mut cases: Vec<PathBuf> =
        entries.filter(|path| path.extension().is_some_and(|e| e == "twp")).collect();
    cases.sort();
    cases
}

fn shown(case: &Path) -> String {
    let name = case.file_name().expect("a file name").to_string_lossy().into_owned();
    let text = fs::read_to_string(case).expect("a case is text");
    let checked = checked(case, text);
    let shown = human(&checked.diagnostics, &Texts::new(&checked.loaded.sources), false);
    format!("{shown}{}\n", summary(&checked.diagnostics, &name))
}

/// Modules of a case lie in the folder named after it.
fn checked(case: &Path, text: String) -> load::Checked {
    let name = case.file_name().expect("a file name").to_string_lossy().into_owned();
    load::check(SourceFile { name, text }, &mut Disk::beside(Path::new("tests/ui/case.twp")))
}

#[test]
fn every_case_shows_what_is_expected() {
    let bless = std::env::var_os("TWP_BLESS").is_some();
    let mut wrong = Vec::new();
    let cases = cases();
    assert!(cases.len() >= 10, "only {} cases were found", cases.len());
    for case in &cases {
        let (expected_file, shown) = (case.with_extension("stderr"), shown(case));
        if bless {
            fs::write(&expected_file, &shown).expect("the expected text is written");
        }
        let expected = fs::read_to_string(&expected_file).unwrap_or_default();
        if expected != shown {
            wrong.push(format!("--- {} expected\n{expected}\n--- but it is\n{shown}", case.display()));
        }
    }
    assert!(wrong.is_empty(), "{} of {} cases differ:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}

#[test]
fn no_expected_text_is_left_over() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ui");
    for entry in fs::read_dir(folder).expect("the folder of cases") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|extension| extension == "stderr") {
            assert!(path.with_extension("twp").exists(), "{} has no case", path.display());
        }
    }
}

#[test]
fn fixes_of_single_mistakes_are_accepted() {
    // Cases whose name starts with `fix_` have mistakes that the edits of their first helps remove.
    let mut fixed = 0;
    for case in cases()
        .iter()
        .filter(|case| case.file_name().is_some_and(|name| name.to_string_lossy().starts_with("fix_")))
    {
        let mut text = fs::read_to_string(case).expect("a case is text");
        let before = checked(case, text.clone()).diagnostics;
        let helps = before
            .iter()
            .filter_map(|diagnostic| diagnostic.helps.iter().find(|help| !help.patches.is_empty()));
        let mut patches: Vec<_> = helps.flat_map(|help| help.patches.clone()).collect();
        patches.sort_by_key(|patch| std::cmp::Reverse(patch.span.start));
        for patch in patches {
            text.replace_range(patch.span.range(), &patch.replacement);
        }
        let after = checked(case, text.clone()).diagnostics;
        let errors: Vec<_> = after.iter().filter(|diagnostic| diagnostic.level == Level::Error).collect();
        assert!(!before.is_empty() && errors.is_empty(), "{}: {errors:?}\n{text}", case.display());
        fixed += 1;
    }
    assert!(fixed >= 5, "only {fixed} cases with fixes");
}
