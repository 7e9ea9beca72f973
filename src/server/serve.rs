//! `twp serve`: one generation. `twp run` starts it with the control channel as its standard input.

use super::{EngineArg, Failure, MessageFormat};
use crate::environment::Environment;
use crate::load;
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

/// Reads, checks and compiles the file, or what the supervisor has kept of it.
fn load(args: &ServeArgs, kept: &[Source]) -> Result<Loaded, Refused> {
    let (text, fingerprint) = match kept.first() {
        Some(source) => (source.text.clone(), source.fingerprint),
        None => read(&args.file)?,
    };
    let checked = load::check_to_run(&text, &Environment::Process);
    let name = args.file.display().to_string();
    let excerpts = render::Source::new(&name, &text);
    let mut said = match args.message_format {
        MessageFormat::Human => render::human(&checked.diagnostics, &excerpts, args.color == Color::Always),
        MessageFormat::Short => render::short(&checked.diagnostics, &excerpts),
        MessageFormat::Json => render::json(&checked.diagnostics, &excerpts),
    };
    let sources = vec![Source { path: args.file.clone(), fingerprint, text: text.clone() }];
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
        return Ok(Loaded { artifact, sources, warnings: said });
    }
    if args.message_format == MessageFormat::Human {
        said.push_str(&render::summary(&checked.diagnostics, &name));
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

fn read(file: &Path) -> Result<(String, Option<Fingerprint>), Refused> {
    // Taken first: should the file change before it is read, the supervisor sees a difference and tries again.
    let before = Fingerprint::of_file(file);
    match load::read(file) {
        Ok(source) => {
            let fingerprint = Fingerprint::of(source.text.as_bytes());
            Ok((source.text, Some(fingerprint)))
        }
        Err(error) => {
            let sources = vec![Source { path: file.to_owned(), fingerprint: before, text: String::new() }];
            Err(Refused { text: format!("error: {error}\n"), sources })
        }
    }
}
