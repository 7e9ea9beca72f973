//! Files that are in memory: for tests, and for programs that are kept rather than read again.

use super::{FileError, Files};
use std::collections::BTreeMap;

/// Files by path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TextFiles {
    files: BTreeMap<String, Vec<u8>>,
}

impl TextFiles {
    /// No files yet.
    pub fn new() -> TextFiles {
        TextFiles::default()
    }

    /// Adds a file.
    #[must_use]
    pub fn with(mut self, path: impl Into<String>, contents: impl Into<Vec<u8>>) -> TextFiles {
        self.files.insert(path.into(), contents.into());
        self
    }

    /// A text in which lines `>>> path` start further files: the text of the entry file and the others.
    pub fn of_one_text(text: &str) -> (&str, TextFiles) {
        let Some(end) = text.find(">>> ").filter(|at| *at == 0 || text[..*at].ends_with('\n')) else {
            return (text, TextFiles::new());
        };
        let (entry, rest) = text.split_at(end);
        let files = rest.split(">>> ").skip(1).fold(TextFiles::new(), |files, part| {
            let (path, contents) = part.split_once('\n').unwrap_or((part, ""));
            files.with(path.trim(), contents)
        });
        (entry, files)
    }
}

impl Files for TextFiles {
    fn read(&mut self, path: &str, bytes_max: usize) -> Result<Vec<u8>, FileError> {
        match self.files.get(path) {
            Some(contents) if contents.len() > bytes_max => Err(FileError::TooLarge),
            Some(contents) => Ok(contents.clone()),
            None => {
                let is_folder = !self.list(path).is_empty();
                Err(if is_folder { FileError::Folder } else { FileError::Missing })
            }
        }
    }

    fn list(&mut self, folder: &str) -> Vec<String> {
        let inside = |path: &String| {
            let rest = if folder.is_empty() { path } else { path.strip_prefix(folder)?.strip_prefix('/')? };
            Some(rest.find('/').map_or(rest, |end| &rest[..=end]).to_owned())
        };
        let mut names: Vec<String> = self.files.keys().filter_map(inside).collect();
        names.dedup();
        names
    }

    fn shown(&self, path: &str) -> String {
        path.to_owned()
    }
}
