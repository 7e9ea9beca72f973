//! From a path to an artifact: read, load, check, compile.
//!
//! Unreadable input and refused programs are different things: the first is about the file and ends as one sentence,
//! the second is about what the file says and ends as diagnostics.

use crate::environment::Environment;
use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use twp_compiler::{Artifact, Leftovers};
use twp_lang::limits::SOURCE_BYTES_MAX;
use twp_lang::{Diagnostic, Files, Level, Loaded, hir};

/// A file that was read.
#[derive(Clone, Debug)]
pub struct SourceFile {
    /// Its path as given; `<stdin>` for standard input.
    pub name: String,
    /// Its text.
    pub text: String,
}

/// What checking a program gave.
#[derive(Debug)]
pub struct Checked {
    /// Its texts and syntax trees.
    pub loaded: Loaded,
    /// The typed program; `None` when there are errors.
    pub program: Option<hir::Program>,
    /// Findings of all stages, in the order of the files and their text.
    pub diagnostics: Vec<Diagnostic>,
    /// The artifact; `None` when there are errors.
    pub artifact: Option<Artifact>,
    /// What compiling left behind; to be freed when nobody waits.
    pub leftovers: Option<Leftovers>,
}

/// Why a file could not be read.
#[derive(Debug)]
pub struct ReadError {
    name: String,
    kind: ReadErrorKind,
}

#[derive(Debug)]
enum ReadErrorKind {
    Io(io::Error),
    Directory,
    TooLarge,
    NotText { at: usize, line: usize },
}

/// Loads, checks and compiles a program, whatever the environment: its entry file, and what that uses of other files.
pub fn check(entry: SourceFile, files: &mut dyn Files) -> Checked {
    check_within(entry, files, &Environment::Unknown)
}

/// As [`check`], with the values of an environment.
pub fn check_within(entry: SourceFile, files: &mut dyn Files, environment: &Environment) -> Checked {
    let (mut loaded, mut diagnostics) = twp_lang::load(entry.name, entry.text, files);
    let (mut program, found) = twp_lang::check_program(&mut loaded, files);
    diagnostics.extend(found);
    if diagnostics.iter().any(|diagnostic| diagnostic.level == Level::Error) {
        program = None;
    }
    if let Some(known) = &mut program {
        let errors = known.set_environment(&|name| environment.get(name), environment.required());
        if !errors.is_empty() {
            diagnostics.extend(errors);
            program = None;
        }
    }
    let (mut artifact, mut leftovers) = (None, None);
    if let Some(program) = &program {
        match twp_compiler::compile_and_keep(program) {
            Ok((compiled, kept)) => (artifact, leftovers) = (Some(compiled), Some(kept)),
            Err(exceeded) => diagnostics.extend(exceeded),
        }
    }
    diagnostics.sort_by_key(|diagnostic| diagnostic.primary.span);
    Checked { loaded, program, diagnostics, artifact, leftovers }
}

/// As [`check_within`], for a program that is to run: what this version does not serve is refused like a mistake.
pub fn check_to_run(entry: SourceFile, files: &mut dyn Files, environment: &Environment) -> Checked {
    let mut checked = check_within(entry, files, environment);
    let refusals: Vec<Diagnostic> = checked.program.iter().flat_map(hir::Program::refusals).collect();
    if !refusals.is_empty() {
        checked.artifact = None;
        checked.diagnostics.extend(refusals);
        checked.diagnostics.sort_by_key(|diagnostic| diagnostic.primary.span);
    }
    checked
}

/// Reads a file of at most 16 MiB of UTF-8; `-` is standard input.
pub fn read(path: &Path) -> Result<SourceFile, ReadError> {
    if path.as_os_str() == "-" {
        return text("<stdin>".to_owned(), io::stdin().lock());
    }
    let name = path.display().to_string();
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) => return Err(ReadError { name, kind: ReadErrorKind::Io(error) }),
    };
    // A directory can be opened, and only reading it fails, with a message that helps nobody.
    if file.metadata().is_ok_and(|metadata| metadata.is_dir()) {
        return Err(ReadError { name, kind: ReadErrorKind::Directory });
    }
    text(name, file)
}

fn text(name: String, input: impl Read) -> Result<SourceFile, ReadError> {
    let most = u64::try_from(SOURCE_BYTES_MAX).unwrap_or(u64::MAX);
    let mut bytes = Vec::new();
    if let Err(error) = input.take(most + 1).read_to_end(&mut bytes) {
        return Err(ReadError { name, kind: ReadErrorKind::Io(error) });
    }
    if bytes.len() > SOURCE_BYTES_MAX {
        return Err(ReadError { name, kind: ReadErrorKind::TooLarge });
    }
    match String::from_utf8(bytes) {
        Ok(text) => Ok(SourceFile { name, text }),
        Err(error) => {
            let at = error.utf8_error().valid_up_to();
            let line = error.as_bytes()[..at].split(|byte| *byte == b'\n').count();
            Err(ReadError { name, kind: ReadErrorKind::NotText { at, line } })
        }
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cannot read `{}`: ", self.name)?;
        match &self.kind {
            ReadErrorKind::Io(error) if error.kind() == io::ErrorKind::NotFound => {
                f.write_str("there is no such file")
            }
            ReadErrorKind::Io(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                f.write_str("permission denied")
            }
            ReadErrorKind::Io(error) => error.fmt(f),
            ReadErrorKind::Directory => {
                f.write_str("it is a directory; name a file such as `site.twp` in it")
            }
            ReadErrorKind::TooLarge => write!(f, "it has more than {} MiB", SOURCE_BYTES_MAX >> 20),
            ReadErrorKind::NotText { at, line } => {
                write!(
                    f,
                    "byte {at} (line {line}) is not UTF-8; save it as UTF-8, for example with `iconv -t UTF-8`"
                )
            }
        }
    }
}

impl std::error::Error for ReadError {}
