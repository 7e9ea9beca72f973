//! Data files: what `table … from "file"` and `file("…")` name, read once for the whole program.
//!
//! A path starts in the folder of the file that names it, and stays in the folder of the entry file: what a program
//! reads lies beside it, and checking somebody's program shows nothing else of a machine.

use super::Check;
use crate::limits::{DATA_BYTES_MAX, FILES_MAX, PROGRAM_BYTES_MAX};
use crate::module::{FileError, not_text, reason, stdlib};
use crate::source::Source;
use crate::span::Spanned;
use crate::suggest::closest;
use crate::{Diagnostic, Span};
use std::sync::Arc;

/// A data file that was read.
#[derive(Clone, Debug)]
pub(super) struct DataFile {
    /// Its text.
    pub(super) text: Arc<str>,
}

/// The data file of this name, read when it is new; `None`, and a report, when there is none. The place of the name
/// tells which module names it.
pub(super) fn read(ctx: &mut Check<'_>, written: &Spanned<String>) -> Option<DataFile> {
    let module = written.span.source;
    let is_std = ctx.modules.get(usize::from(module)).is_some_and(super::View::is_std);
    let Some(path) = resolve(ctx.module_name(module), &written.value) else {
        outside(ctx, written);
        return None;
    };
    let key = if is_std { format!("std:{path}") } else { path.clone() };
    if let Some(known) = ctx.data.get(&key) {
        // What could not be read is reported where it was named first.
        return known.clone();
    }
    let found = if is_std { of_library(ctx, &path, written) } else { of_program(ctx, &path, written) };
    ctx.data.insert(key, found.clone());
    found
}

/// The path from the folder of the entry file; `None` when it leads out of it.
fn resolve(module: &str, written: &str) -> Option<String> {
    if written.is_empty() || written.starts_with('/') || written.contains(['\\', '\0']) {
        return None;
    }
    // The first word of a module's name is no folder, and the last is its file.
    let mut parts: Vec<&str> = module.split('.').skip(1).collect();
    parts.pop();
    for part in written.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            _ => parts.push(part),
        }
    }
    (!parts.is_empty()).then(|| parts.join("/"))
}

fn outside(ctx: &mut Check<'_>, written: &Spanned<String>) {
    let message = format!("`{}` does not lie beside the program", written.value);
    ctx.report(
        Diagnostic::error("E0235", message, written.span)
            .label("a data file lies in the folder of the entry file or below")
            .note("the path starts in the folder of the file that names it")
            .help("put the file there, or a symbolic link to it"),
    );
}

fn of_library(ctx: &mut Check<'_>, path: &str, written: &Spanned<String>) -> Option<DataFile> {
    let Some((path, text)) = stdlib::file(path) else {
        missing(ctx, written, "the standard library has no such file", None);
        return None;
    };
    add(ctx, format!("std/{path}"), text.into(), written.span)
}

fn of_program(ctx: &mut Check<'_>, path: &str, written: &Spanned<String>) -> Option<DataFile> {
    let shown = ctx.files.shown(path);
    let bytes = match ctx.files.read(path, DATA_BYTES_MAX) {
        Ok(bytes) => bytes,
        Err(error) => {
            let similar = (error == FileError::Missing).then(|| similar(ctx, path)).flatten();
            let label = match &error {
                FileError::Missing => format!("there is no file `{shown}`"),
                FileError::Folder | FileError::TooLarge | FileError::Other(_) => {
                    format!("`{shown}`: {}", reason(&error, DATA_BYTES_MAX))
                }
            };
            missing(ctx, written, &label, similar);
            return None;
        }
    };
    let text = match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => {
            let reason = not_text(error.as_bytes(), error.utf8_error().valid_up_to());
            missing(ctx, written, &format!("`{shown}`: {reason}"), None);
            return None;
        }
    };
    add(ctx, shown, text, written.span)
}

fn add(ctx: &mut Check<'_>, name: String, text: String, span: Span) -> Option<DataFile> {
    if ctx.sources.bytes() + text.len() > PROGRAM_BYTES_MAX {
        let message = format!("the files of a program have at most {} MiB together", PROGRAM_BYTES_MAX >> 20);
        ctx.report(Diagnostic::error("E0234", message, span).label("too much with this one"));
        return None;
    }
    let text: Arc<str> = text.into();
    let source = Source { name, text: Arc::clone(&text) };
    let number = if ctx.sources.len() < FILES_MAX { ctx.sources.push(source) } else { None };
    if number.is_none() {
        let message = format!("a program has at most {FILES_MAX} files");
        ctx.report(Diagnostic::error("E0234", message, span).label("one too many"));
    }
    number.map(|_| DataFile { text })
}

/// The file in the same folder that may have been meant.
fn similar(ctx: &mut Check<'_>, path: &str) -> Option<String> {
    let (folder, file) = path.rsplit_once('/').unwrap_or(("", path));
    let names = ctx.files.list(folder);
    closest(file, names.iter().map(String::as_str)).map(str::to_owned)
}

fn missing(ctx: &mut Check<'_>, written: &Spanned<String>, label: &str, similar: Option<String>) {
    let message = format!("cannot read `{}`", written.value);
    let mut diagnostic = Diagnostic::error("E0236", message, written.span).label(label);
    if let Some(similar) = similar {
        diagnostic = diagnostic.help(format!("did you mean `{similar}`?"));
    }
    ctx.report(diagnostic);
}
