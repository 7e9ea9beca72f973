//! Tests of loading: limits, kinds of files, and the standard library itself.

use super::{FileError, Files, TextFiles, load, stdlib};
use crate::limits::{DATA_BYTES_MAX, FILES_MAX, MODULE_DEPTH_MAX, PROGRAM_BYTES_MAX, SOURCE_BYTES_MAX};
use crate::{Diagnostic, Level, check_program};
use std::path::Path;

/// Code, message and remark of every finding of loading and checking, in order.
fn findings(entry: &str, mut files: impl Files) -> Vec<String> {
    let (mut loaded, mut found) = load("site.twp", entry, &mut files);
    found.extend(check_program(&mut loaded, &mut files).1);
    let show = |d: Diagnostic| format!("{} {} | {}", d.code, d.message, d.primary.text);
    found.into_iter().map(show).collect()
}

const ENTRY: &str = "edition 1\nuse self.m\nsite a.test { respond 200 body m.text }\n";

#[test]
fn a_file_that_cannot_be_read_is_reported_where_it_is_used() {
    struct Broken(FileError);
    impl Files for Broken {
        fn read(&mut self, _: &str, _: usize) -> Result<Vec<u8>, FileError> {
            Err(self.0.clone())
        }
        fn list(&mut self, _: &str) -> Vec<String> {
            Vec::new()
        }
        fn shown(&self, path: &str) -> String {
            format!("conf/{path}")
        }
    }
    let cases = [
        (FileError::Missing, "E0207 unknown module `self.m` | there is no file `conf/m.twp`"),
        (FileError::Folder, "E0231 cannot read the module `self.m` | `conf/m.twp`: it is a folder"),
        (
            FileError::TooLarge,
            "E0231 cannot read the module `self.m` | `conf/m.twp`: it has more than 16 MiB",
        ),
        (
            FileError::Other("permission denied".to_owned()),
            "E0231 cannot read the module `self.m` | `conf/m.twp`: permission denied",
        ),
    ];
    for (error, expected) in cases {
        assert_eq!(findings(ENTRY, Broken(error)), [expected]);
    }
}

#[test]
fn a_module_is_text() {
    let files = TextFiles::new().with("m.twp", b"// a\nconst text = \"\xff\"".to_vec());
    let expected = "E0231 cannot read the module `self.m` | `m.twp`: byte 19 (line 2) is not UTF-8";
    assert_eq!(findings(ENTRY, files), [expected]);
}

#[test]
fn a_program_has_at_most_so_many_files() {
    let line = |number: usize| format!("@allow(unused_import, \"many\")\nuse self.m{number}\n");
    let uses: String = (0..FILES_MAX).map(line).collect();
    let with = |files: TextFiles, number: usize| files.with(format!("m{number}.twp"), "");
    let files = (0..FILES_MAX).fold(TextFiles::new(), with);
    let found = findings(&format!("edition 1\n{uses}site a.test {{ respond 200 }}"), files);
    assert_eq!(found, ["E0234 a program has at most 4096 files | one too many"]);
}

#[test]
fn a_program_has_at_most_so_many_bytes() {
    let text = format!("//{}\n", "x".repeat(SOURCE_BYTES_MAX - 3));
    let fit = PROGRAM_BYTES_MAX / SOURCE_BYTES_MAX;
    let line = |number: usize| format!("use self.m{number}\n");
    let uses: String = (0..fit).map(line).collect();
    let with = |files: TextFiles, number: usize| files.with(format!("m{number}.twp"), text.clone());
    let files = (0..fit).fold(TextFiles::new(), with);
    let found = findings(&format!("edition 1\n{uses}site a.test {{ respond 200 }}"), files);
    assert_eq!(found, ["E0234 the files of a program have at most 32 MiB together | too much with this one"]);
}

#[test]
fn a_data_file_has_its_own_limit() {
    let entry = "edition 1\nsite a.test { respond 200 body file(\"big\") }\n";
    let found = findings(entry, TextFiles::new().with("big", vec![b'x'; DATA_BYTES_MAX + 1]));
    assert_eq!(found, ["E0236 cannot read `big` | `big`: it has more than 16 MiB"]);
    assert_eq!(findings(entry, TextFiles::new().with("big", vec![b'x'; DATA_BYTES_MAX])), [""; 0]);
}

#[test]
fn folders_nest_within_a_bound() {
    let deep = |n: usize| format!("self.{}m", "a.".repeat(n));
    let entry = |n: usize| format!("edition 1\nuse {}\nsite a.test {{ respond 200 body m.text }}\n", deep(n));
    let path = format!("{}m.twp", "a/".repeat(MODULE_DEPTH_MAX - 1));
    let files = TextFiles::new().with(path, "pub const text = \"deep\"");
    assert_eq!(findings(&entry(MODULE_DEPTH_MAX - 1), files.clone()), [""; 0]);
    let found = findings(&entry(MODULE_DEPTH_MAX), files);
    assert_eq!(found, ["E0234 a module lies at most 16 folders deep | "]);
}

#[test]
fn a_data_file_is_read_once() {
    struct Counted(TextFiles, usize);
    impl Files for &mut Counted {
        fn read(&mut self, path: &str, bytes_max: usize) -> Result<Vec<u8>, FileError> {
            self.1 += 1;
            self.0.read(path, bytes_max)
        }
        fn list(&mut self, folder: &str) -> Vec<String> {
            self.0.list(folder)
        }
        fn shown(&self, path: &str) -> String {
            self.0.shown(path)
        }
    }
    let entry =
        "edition 1\nsite a.test { route /a { respond 200 body file(\"x\") } respond 404 body file(\"./x\") }";
    let mut files = Counted(TextFiles::new().with("x", "text"), 0);
    assert_eq!(findings(entry, &mut files), [""; 0]);
    assert_eq!(files.1, 1);
}

/// All files below a folder, with their paths from it.
fn files_below(folder: &Path, prefix: &str, out: &mut Vec<String>) {
    for entry in std::fs::read_dir(folder).expect("the folder of the standard library") {
        let path = entry.expect("an entry").path();
        let name = format!("{prefix}{}", path.file_name().expect("a name").to_string_lossy());
        if path.is_dir() {
            files_below(&path, &format!("{name}/"), out);
        } else if path.extension().is_none_or(|extension| extension != "md") {
            out.push(name);
        }
    }
}

#[test]
fn the_whole_library_is_part_of_the_program() {
    let mut files = Vec::new();
    files_below(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../stdlib"), "", &mut files);
    files.sort();
    let known: Vec<&str> = stdlib::FILES.iter().map(|(path, _)| *path).collect();
    assert_eq!(files, known);
}

#[test]
fn every_module_of_the_library_is_sound_and_documented() {
    for name in stdlib::names() {
        let last = name.rsplit('.').next().expect("a name has parts");
        let entry = format!(
            "edition 1\n@allow(unused_import, \"only loaded\")\nuse {name}\nsite a.test {{ respond 200 }}\n"
        );
        let (mut loaded, found) = load("site.twp", entry, &mut TextFiles::new());
        assert_eq!(found, [], "{name}");
        let (program, found) = check_program(&mut loaded, &mut TextFiles::new());
        assert_eq!(
            found.iter().filter(|d| d.level == Level::Error).collect::<Vec<_>>(),
            [] as [&Diagnostic; 0]
        );
        assert!(program.is_some(), "{name}");
        let tree = &loaded.modules.iter().find(|module| module.name == name).expect("it is loaded").tree;
        assert!(!tree.docs.is_empty(), "{name} says what it is for");
        for item in tree.items.iter().filter(|item| item.public.is_some()) {
            let docs = item.docs.join("\n");
            let word = item.kind.declared().map(|name| name.value.clone()).unwrap_or_default();
            assert!(docs.contains("```twp\n"), "`{word}` of {name} has an example");
            assert!(docs.contains(&format!("{last}.{word}")), "the example of `{word}` uses it");
            example(&name, &docs);
        }
    }
}

/// Checks the examples of a documented declaration, inside a site with an upstream `app`.
fn example(module: &str, docs: &str) {
    for code in docs.split("```twp\n").skip(1) {
        let code = code.split("```").next().unwrap_or_default();
        let last = |name: &str| name.rsplit('.').next().unwrap_or_default().to_owned();
        let used = stdlib::names().filter(|other| code.contains(&format!("{}.", last(other))));
        let line = |name: String| format!("use {name}\n");
        let uses: String = used.map(line).collect();
        let is_declaration = code.starts_with("rule ") || code.starts_with("const ");
        let (outside, inside) = if is_declaration { (code, "") } else { ("", code) };
        let entry = format!(
            "edition 1\n{uses}upstream app {{ builtin: echo }}\n{outside}\nsite a.test {{\n{inside}\nto app\n}}\n"
        );
        let (mut loaded, mut found) = load("site.twp", entry.as_str(), &mut TextFiles::new());
        found.extend(check_program(&mut loaded, &mut TextFiles::new()).1);
        found.retain(|d| d.level == Level::Error);
        assert_eq!(found, [], "an example of {module}:\n{entry}");
    }
}
