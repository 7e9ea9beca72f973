//! The text files of the repository, read once.

use std::fs;
use std::path::Path;
use std::sync::OnceLock;

/// Folders that hold no work of ours.
const SKIPPED: [&str; 5] = [".git", "target", "node_modules", "__pycache__", ".venv"];

/// One file.
pub(crate) struct File {
    /// Its path from the root, with `/`.
    pub(crate) path: String,
    /// Its text; empty for what is not text.
    pub(crate) text: String,
}

impl File {
    /// Whether its name ends with this extension.
    pub(crate) fn is(&self, extension: &str) -> bool {
        Path::new(&self.path).extension().is_some_and(|e| e == extension)
    }

    /// The text before its tests.
    pub(crate) fn code(&self) -> &str {
        self.text.split("\n#[cfg(test)]\n").next().unwrap_or_default()
    }

    /// Its lines with their numbers.
    pub(crate) fn numbered(&self) -> impl Iterator<Item = (usize, &str)> {
        self.text.lines().enumerate().map(|(index, line)| (index + 1, line))
    }
}

/// All files, in the order of their paths.
pub(crate) fn tree() -> &'static [File] {
    static TREE: OnceLock<Vec<File>> = OnceLock::new();
    TREE.get_or_init(|| {
        let mut files = Vec::new();
        walk(Path::new(env!("CARGO_MANIFEST_DIR")), "", &mut files);
        files.sort_by(|a, b| a.path.cmp(&b.path));
        files
    })
}

fn walk(folder: &Path, prefix: &str, files: &mut Vec<File>) {
    for entry in fs::read_dir(folder).expect("a folder of the repository") {
        let entry = entry.expect("an entry of the repository");
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = format!("{prefix}{name}");
        if entry.file_type().expect("a type").is_dir() {
            if !SKIPPED.contains(&name.as_str()) {
                walk(&entry.path(), &format!("{path}/"), files);
            }
        } else {
            files.push(File { path, text: fs::read_to_string(entry.path()).unwrap_or_default() });
        }
    }
}
