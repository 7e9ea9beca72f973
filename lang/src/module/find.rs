//! From a `use` to a file: which path a name means, and what to say when nothing is there.

use super::{FileError, Loader, stdlib};
use crate::ast::Use;
use crate::limits::{FILES_MAX, MODULE_DEPTH_MAX, PROGRAM_BYTES_MAX, SOURCE_BYTES_MAX};
use crate::source::Source;
use crate::span::Ident;
use crate::suggest::closest;
use crate::{Diagnostic, Span};

impl Loader<'_> {
    /// The module that a `use` names, read when it is new; `None`, and a report, when there is none.
    pub(super) fn link(&mut self, used: &Use) -> Option<u16> {
        let span = used.path.iter().map(|part| part.span).reduce(Span::to).unwrap_or(used.span);
        let name = joined(&used.path, ".");
        if let Some(&known) = self.known.get(&name) {
            // What could not be read is reported where it was named first.
            return known;
        }
        let number = self.find(used, &name, span);
        self.known.insert(name, number);
        number
    }

    fn find(&mut self, used: &Use, name: &str, span: Span) -> Option<u16> {
        let (root, parts) = used.path.split_first()?;
        match root.value.as_str() {
            "self" | "std" if parts.is_empty() => {
                self.report(
                    Diagnostic::error("E0207", format!("`{name}` alone is no module"), span)
                        .help("name a file: `use self.nets` reads `nets.twp` beside the entry file"),
                );
                None
            }
            "self" if parts.len() > MODULE_DEPTH_MAX => {
                let message = format!("a module lies at most {MODULE_DEPTH_MAX} folders deep");
                self.report(Diagnostic::error("E0234", message, span));
                None
            }
            "self" => self.of_program(used, name, span),
            "std" => self.of_library(used, name, span),
            _ => {
                self.no_root(used, name, span);
                None
            }
        }
    }

    fn of_program(&mut self, used: &Use, name: &str, span: Span) -> Option<u16> {
        let path = format!("{}.twp", joined(used.path.get(1..)?, "/"));
        let bytes = match self.files.read(&path, SOURCE_BYTES_MAX) {
            Ok(bytes) => bytes,
            Err(FileError::Missing) => {
                self.missing(used, &path, span);
                return None;
            }
            Err(error) => {
                let reason = reason(&error, SOURCE_BYTES_MAX);
                self.unreadable(name, &path, &reason, span);
                return None;
            }
        };
        let text = match String::from_utf8(bytes) {
            Ok(text) => text,
            Err(error) => {
                let reason = not_text(error.as_bytes(), error.utf8_error().valid_up_to());
                self.unreadable(name, &path, &reason, span);
                return None;
            }
        };
        if self.loaded.sources.len() >= FILES_MAX {
            let message = format!("a program has at most {FILES_MAX} files");
            self.report(Diagnostic::error("E0234", message, span).label("one too many"));
            return None;
        }
        if self.loaded.sources.bytes() + text.len() > PROGRAM_BYTES_MAX {
            let message =
                format!("the files of a program have at most {} MiB together", PROGRAM_BYTES_MAX >> 20);
            self.report(Diagnostic::error("E0234", message, span).label("too much with this one"));
            return None;
        }
        let shown = self.files.shown(&path);
        self.add(name, Source { name: shown, text: text.into() })
    }

    fn of_library(&mut self, used: &Use, name: &str, span: Span) -> Option<u16> {
        if let Some((path, text)) = stdlib::module(name) {
            return self.add(name, Source { name: format!("std/{path}"), text: text.into() });
        }
        let mut diagnostic =
            Diagnostic::error("E0207", format!("the standard library has no module `{name}`"), span);
        let names: Vec<String> = stdlib::names().collect();
        let whole = names.iter().find(|other| other.starts_with(&format!("{name}."))).cloned();
        if let Some(inside) = whole {
            diagnostic = diagnostic.fix(format!("did you mean `{inside}`?"), span, inside);
        } else if let Some(similar) = closest(name, names.iter().map(String::as_str)) {
            diagnostic = diagnostic.fix(format!("did you mean `{similar}`?"), span, similar);
        } else if let Some(fixed) = thing_of(used, |module| names.iter().any(|other| other == module)) {
            diagnostic = diagnostic.fix(fixed.advice, used.span, fixed.text);
        } else {
            diagnostic = diagnostic.help(format!("it has {}", names.join(", ")));
        }
        self.report(diagnostic);
        None
    }

    /// A path that starts with neither `self` nor `std`.
    fn no_root(&mut self, used: &Use, name: &str, span: Span) {
        let path = format!("{}.twp", joined(&used.path, "/"));
        let start = Span { end: span.start, ..span };
        let mut diagnostic = Diagnostic::error("E0207", format!("unknown module `{name}`"), span)
            .label("the name of a module starts with `self` or `std`");
        let library = format!("std.{name}");
        diagnostic = if self.exists(&path) {
            diagnostic.fix(format!("write `self.{name}` for `{path}`"), start, "self.")
        } else if stdlib::module(&library).is_some() {
            diagnostic.fix(format!("did you mean `{library}`?"), start, "std.")
        } else {
            diagnostic.help(format!("`use self.{name}` reads `{path}` beside the entry file"))
        };
        self.report(diagnostic);
    }

    fn missing(&mut self, used: &Use, path: &str, span: Span) {
        let name = joined(&used.path, ".");
        let shown = self.files.shown(path);
        let mut diagnostic = Diagnostic::error("E0207", format!("unknown module `{name}`"), span)
            .label(format!("there is no file `{shown}`"));
        let (folder, file) = path.rsplit_once('/').unwrap_or(("", path));
        let names = self.files.list(folder);
        let modules = names.iter().filter_map(|name| name.strip_suffix(".twp"));
        let stem = file.strip_suffix(".twp").unwrap_or(file);
        let upper = modules.clone().find(|other| other.eq_ignore_ascii_case(stem) && *other != stem);
        let last = used.path.last().map_or(span, |part| part.span);
        let is_folder = names.iter().any(|name| name.strip_suffix('/') == Some(stem));
        if let Some(upper) = upper {
            diagnostic = diagnostic.note(format!(
                "there is `{upper}.twp`; names of modules have small letters and so have their files"
            ));
        } else if let Some(similar) = closest(stem, modules.filter(|name| is_name(name))) {
            diagnostic = diagnostic.fix(format!("did you mean `{similar}`?"), last, similar);
        } else if is_folder {
            diagnostic =
                diagnostic.help(format!("`{stem}` is a folder: name a file in it, as `{name}.nets`"));
        } else if let Some(fixed) = thing_of(used, |module| self.exists(&path_of(module))) {
            diagnostic = diagnostic.fix(fixed.advice, used.span, fixed.text);
        } else {
            diagnostic = diagnostic.note("modules lie beside the entry file, or in folders below it");
        }
        self.report(diagnostic);
    }

    fn unreadable(&mut self, name: &str, path: &str, reason: &str, span: Span) {
        let shown = self.files.shown(path);
        let message = format!("cannot read the module `{name}`");
        self.report(Diagnostic::error("E0231", message, span).label(format!("`{shown}`: {reason}")));
    }

    fn exists(&mut self, path: &str) -> bool {
        let (folder, file) = path.rsplit_once('/').unwrap_or(("", path));
        self.files.list(folder).iter().any(|name| name == file)
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }
}

/// A `use` as it should have been.
struct Fixed {
    advice: String,
    text: String,
}

/// `use self.nets.office` where `office` is no file but may be declared in the module `self.nets`.
fn thing_of(used: &Use, mut is_module: impl FnMut(&str) -> bool) -> Option<Fixed> {
    let (last, before) = used.path.split_last()?;
    let module = joined(before, ".");
    if before.len() < 2 || used.names.is_some() || used.alias.is_some() || !is_module(&module) {
        return None;
    }
    let text = format!("use {module}.{{{}}}", last.value);
    Some(Fixed { advice: format!("`{module}` is a module; for a thing of it write `{text}`"), text })
}

/// The file of a module of the program.
fn path_of(name: &str) -> String {
    format!("{}.twp", name.trim_start_matches("self.").replace('.', "/"))
}

/// Whether a file can be named by `use`.
fn is_name(stem: &str) -> bool {
    stem.starts_with(|c: char| c.is_ascii_lowercase())
        && stem.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_')
}

fn joined(parts: &[Ident], separator: &str) -> String {
    parts.iter().map(|part| part.value.as_str()).collect::<Vec<_>>().join(separator)
}

/// Why a file was not read, as a person says it.
pub(crate) fn reason(error: &FileError, bytes_max: usize) -> String {
    match error {
        FileError::Missing => "there is no such file".to_owned(),
        FileError::Folder => "it is a folder".to_owned(),
        FileError::TooLarge => format!("it has more than {} MiB", bytes_max >> 20),
        FileError::Other(reason) => reason.clone(),
    }
}

/// That a file is not text, with the first place that is none.
pub(crate) fn not_text(bytes: &[u8], at: usize) -> String {
    let line = bytes.get(..at).unwrap_or_default().split(|byte| *byte == b'\n').count();
    format!("byte {at} (line {line}) is not UTF-8")
}
