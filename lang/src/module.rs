//! Modules: from the text of the entry file, and something that reads files, to all files of a program.
//!
//! Every file is a module. Its name is `self.` and its path from the folder of the entry file, or `std.` and its path
//! in the standard library, which is part of this program. Reading is the caller's: see [`Files`].

mod cycle;
mod find;
pub(crate) use find::{not_text, reason};
pub(crate) mod stdlib;
#[cfg(test)]
mod tests;
mod texts;

use crate::ast::Tree;
use crate::diagnostic::Diagnostic;
use crate::source::{Source, Sources};
use std::collections::BTreeMap;
use std::sync::Arc;
pub use texts::TextFiles;

/// What reads the files of a program. Paths have `/` between their parts and start in the folder of the entry file;
/// they never climb out of it.
pub trait Files {
    /// The contents of a file; at most `bytes_max` of them, else [`FileError::TooLarge`].
    fn read(&mut self, path: &str, bytes_max: usize) -> Result<Vec<u8>, FileError>;

    /// What lies in a folder, `""` for that of the entry file; folders end in `/`. Only used for advice, so what
    /// cannot be listed is empty.
    fn list(&mut self, folder: &str) -> Vec<String>;

    /// What diagnostics call the file.
    fn shown(&self, path: &str) -> String;
}

/// Why a file was not read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileError {
    /// There is none.
    Missing,
    /// It is a folder.
    Folder,
    /// It has more bytes than were asked for.
    TooLarge,
    /// Anything else, as a person says it: `permission denied`.
    Other(String),
}

/// A file of a program, parsed. Its number is its place in [`Loaded::modules`] and that of its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Module {
    /// `self.shared.nets`; empty for the entry file.
    pub name: String,
    /// What it says.
    pub tree: Tree,
    /// For each `use` of the tree the number of the module it names; `None` when that was reported. No module uses
    /// itself by these.
    pub uses: Vec<Option<u16>>,
}

/// A program before it is checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loaded {
    /// The texts, in the order of their numbers; checking adds the data files.
    pub sources: Sources,
    /// The modules; the first is the entry file.
    pub modules: Vec<Module>,
}

/// No files: for programs of one text.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoFiles;

impl Files for NoFiles {
    fn read(&mut self, _: &str, _: usize) -> Result<Vec<u8>, FileError> {
        Err(FileError::Missing)
    }

    fn list(&mut self, _: &str) -> Vec<String> {
        Vec::new()
    }

    fn shown(&self, path: &str) -> String {
        path.to_owned()
    }
}

/// Reads and parses the entry file and everything it uses. `name` is what diagnostics call the entry file.
pub fn load(
    name: impl Into<String>,
    text: impl Into<Arc<str>>,
    files: &mut dyn Files,
) -> (Loaded, Vec<Diagnostic>) {
    let (name, text) = (name.into(), text.into());
    let (tree, diagnostics) = crate::parse(&text);
    let loaded = Loaded {
        sources: Sources::of_entry(name, text),
        modules: vec![Module { name: String::new(), tree, uses: Vec::new() }],
    };
    let mut loader = Loader { loaded, files, known: BTreeMap::new(), diagnostics };
    let mut next = 0;
    // New modules are added behind those whose uses are followed.
    while next < loader.loaded.modules.len() {
        let uses = loader.loaded.modules[next].tree.uses.clone();
        let links = uses.iter().map(|used| loader.link(used)).collect();
        loader.loaded.modules[next].uses = links;
        next += 1;
    }
    cycle::cut(&mut loader.loaded.modules, &mut loader.diagnostics);
    let Loader { loaded, mut diagnostics, .. } = loader;
    diagnostics.sort_by_key(|diagnostic| diagnostic.primary.span);
    (loaded, diagnostics)
}

/// Loading in progress.
struct Loader<'f> {
    loaded: Loaded,
    files: &'f mut dyn Files,
    /// Modules by name; `None` for those that could not be read.
    known: BTreeMap<String, Option<u16>>,
    diagnostics: Vec<Diagnostic>,
}

impl Loader<'_> {
    /// Parses a text as the module of this name.
    fn add(&mut self, name: &str, source: Source) -> Option<u16> {
        let text = Arc::clone(&source.text);
        let number = self.loaded.sources.push(source)?;
        let (tree, diagnostics) = crate::parse_source(&text, number);
        self.diagnostics.extend(diagnostics);
        if let Some(edition) = &tree.edition {
            self.diagnostics.push(
                Diagnostic::error("E0232", "only the entry file names an edition", edition.span)
                    .label(format!("this is the module `{name}`"))
                    .note("a program has one edition, so that moving text between its files changes nothing")
                    .fix("remove it", edition.span, ""),
            );
        }
        self.loaded.modules.push(Module { name: name.to_owned(), tree, uses: Vec::new() });
        Some(number)
    }
}
