//! `twp serve`: one generation. `twp run` starts it with the control channel as its standard input.

use super::{EngineArg, Failure, MessageFormat};
use crate::environment::Environment;
use crate::files::{Disk, Kept};
use crate::load::{self, SourceFile};
use crate::render;
use clap::{Args, ValueEnum};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use twp_compiler::{Artifact, Engine};
use twp_runtime::generation::{self, Loaded, Refused};
use twp_runtime::handover::message::Source;
use twp_runtime::perf_map;
use twp_runtime::watch::Fingerprint;

/// Arguments of `twp serve`.
#[derive(Debug, Args)]
pub(super) struct ServeArgs {
    /// The configuration file
    file: PathBuf,
    /// How diagnostics are written
    #[arg(long, value_enum, default_value = "human", value_name = "FORMAT")]
    message_format: MessageFormat,
    /// Whether the supervisor prints to a terminal
    #[arg(long, value_enum, default_value = "never", value_name = "WHEN")]
    color: Color,
    /// How routes are decided
    #[arg(long, value_enum, default_value = "auto", value_name = "ENGINE")]
    engine: EngineArg,
    /// Name native functions for profilers
    #[arg(long)]
    perf_map: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Color {
    Always,
    Never,
}

pub(super) fn run(args: &ServeArgs) -> Result<ExitCode, Failure> {
    match generation::run(|kept| load(args, kept), &mut |text| eprintln!("{text}")) {
        Ok(()) => Ok(ExitCode::SUCCESS),
        // The supervisor has ended this attempt, or itself, and knows why.
        Err(error) if matches!(error.kind(), ErrorKind::UnexpectedEof | ErrorKind::BrokenPipe) => {
            Ok(ExitCode::FAILURE)
        }
        Err(error) => Err(Failure::new(format!("a generation ends: {error}"))),
    }
}

/// Reads, checks and compiles the program, or what the supervisor has kept of it.
fn load(args: &ServeArgs, kept: &[Source]) -> Result<Loaded, Refused> {
    let (checked, sources) = if let Some((entry, rest)) = kept.split_first() {
        let file = SourceFile { name: args.file.display().to_string(), text: entry.text.clone() };
        let known = rest.iter().filter(|source| source.fingerprint.is_some());
        let texts = known.map(|source| (source.path.as_path(), source.text.as_str()));
        let checked = load::check_to_run(file, &mut Kept::beside(&args.file, texts), &Environment::Process);
        (checked, kept.to_vec())
    } else {
        let (file, entry) = read(&args.file)?;
        let mut disk = Disk::beside(&args.file);
        let checked = load::check_to_run(file, &mut disk, &Environment::Process);
        (checked, std::iter::once(entry).chain(sources(&disk)).collect())
    };
    let texts = render::Texts::new(&checked.loaded.sources);
    let mut said = match args.message_format {
        MessageFormat::Human => render::human(&checked.diagnostics, &texts, args.color == Color::Always),
        MessageFormat::Short => render::short(&checked.diagnostics, &texts),
        MessageFormat::Json => render::json(&checked.diagnostics, &texts),
    };
    if let Some(mut artifact) = checked.artifact {
        if let Err(reason) = artifact.program.use_engine(args.engine.choice()) {
            let text = format!("error: there is no native code: {reason}\n  help: use --engine auto\n");
            return Err(Refused { text: said + &text, sources });
        }
        let engine = artifact.program.engine();
        if let (Engine::Table { reason: Some(reason) }, false) =
            (engine, args.message_format == MessageFormat::Json)
        {
            said.extend(["note: tables decide, there is no native code: ", &reason, "\n"]);
        }
        if args.perf_map {
            said.extend(perf_map_note(&artifact, args.message_format));
        }
        let leftovers = Box::new((checked.loaded, checked.program, checked.leftovers));
        return Ok(Loaded { artifact, sources, warnings: said, leftovers });
    }
    if args.message_format == MessageFormat::Human {
        said.push_str(&render::summary(&checked.diagnostics, &args.file.display().to_string()));
        said.push('\n');
    }
    Err(Refused { text: said, sources })
}

/// Names native functions for profilers. Serving does not depend on it, so a failure is only told.
fn perf_map_note(artifact: &Artifact, format: MessageFormat) -> Option<String> {
    let error = perf_map::write(&artifact.program.symbols(&artifact.plan)).err()?;
    let process = std::process::id();
    (format != MessageFormat::Json)
        .then(|| format!("note: profilers get no names, /tmp/perf-{process}.map: {error}\n"))
}

/// The entry file, with what the supervisor keeps of it.
fn read(path: &Path) -> Result<(SourceFile, Source), Refused> {
    // Taken first: should the file change before it is read, the supervisor sees a difference and tries again.
    let before = Fingerprint::of_file(path);
    match load::read(path) {
        Ok(file) => {
            let fingerprint = Some(Fingerprint::of(file.text.as_bytes()));
            let source = Source { path: path.to_owned(), fingerprint, text: file.text.clone() };
            Ok((file, source))
        }
        Err(error) => {
            let sources = vec![Source { path: path.to_owned(), fingerprint: before, text: String::new() }];
            Err(Refused { text: format!("error: {error}\n"), sources })
        }
    }
}

/// What the supervisor watches and keeps of the other files. It watches also those that could not be read, so that
/// mending them is a change like any other.
fn sources(disk: &Disk) -> impl Iterator<Item = Source> {
    disk.seen().map(|(path, text)| Source {
        path: path.to_owned(),
        fingerprint: match text {
            Some(text) => Some(Fingerprint::of(text.as_bytes())),
            None => Fingerprint::of_file(path),
        },
        text: text.unwrap_or_default().to_owned(),
    })
}
