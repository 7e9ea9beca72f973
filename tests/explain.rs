//! Every code that the sources use has a reference page, and every page belongs to a code that they use.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use twp_lang::explain::PAGES;

/// The codes in string literals of the production sources below a folder.
fn codes_below(folder: &Path, codes: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).expect("a folder of sources") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        if path.is_dir() {
            if name != "tests" && name != "explain" {
                codes_below(&path, codes);
            }
        } else if path.extension().is_some_and(|extension| extension == "rs")
            && name != "tests.rs"
            && name != "explain.rs"
        {
            let text = fs::read_to_string(&path).expect("a source is text");
            let production = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
            codes.extend(production.split('"').filter(|piece| is_code(piece)).map(str::to_owned));
        }
    }
}

fn is_code(text: &str) -> bool {
    text.len() == 5 && text.starts_with(['E', 'L']) && text[1..].bytes().all(|byte| byte.is_ascii_digit())
}

#[test]
fn codes_and_pages_are_the_same() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut used = BTreeSet::new();
    for folder in ["lang/src", "compiler/src"] {
        codes_below(&root.join(folder), &mut used);
    }
    let described: BTreeSet<String> = PAGES.iter().map(|(code, _)| (*code).to_owned()).collect();
    assert!(used.len() > 50, "only {} codes were found in the sources", used.len());
    assert_eq!(
        used.difference(&described).collect::<Vec<_>>(),
        Vec::<&String>::new(),
        "codes without a page"
    );
    assert_eq!(described.difference(&used).collect::<Vec<_>>(), Vec::<&String>::new(), "pages without a use");
}
