//! `twpc check`: finds every mistake in files.

use super::{FINDINGS, USAGE, colour, cost, print, tell};
use crate::environment::Environment;
use crate::files::Disk;
use crate::load;
use crate::render::{self, Texts};
use clap::{Args, ValueEnum};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use twp_lang::{Diagnostic, Level};

const HELP: &str = "\
Examples:
  twpc check site.twp
  twpc check --message-format json site.twp | jq .message
  twpc check - < site.twp
  twpc check --for-run site.twp
  twpc check --cost site.twp                     also what a request can cost at most, per site

Findings for people go to standard error, the other formats to standard output.
With --cost, a table per file goes to standard output, with a line on each of its columns; as json, one object per file
that has `cost` where findings have `level`. Every figure is a worst case counted on the compiled program, none is
measured. A file with errors has no cost.

Exit codes:
  0  nothing found, or warnings only
  1  a file has errors; with --for-run also: it says something that this version does not serve
  2  the command line was wrong, or a file could not be read";

/// Arguments of `twpc check`
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub(super) struct CheckArgs {
    /// Entry files to check, each with its modules; `-` is standard input, with modules of the current directory
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// How findings are written
    #[arg(long, value_enum, default_value_t = Format::Human, value_name = "FORMAT")]
    message_format: Format,
    /// Also refuse what the language has and this version does not serve, as `twp run` does
    #[arg(long)]
    for_run: bool,
    /// Values for `env` declarations, one `NAME=value` a line; what it does not name stays unknown
    #[arg(long, value_name = "FILE")]
    env_file: Option<PathBuf>,
    /// Also print what a request can cost at most: steps, tests, lookups, bytes read, per site
    #[arg(long)]
    cost: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// Excerpts with marks, notes and help
    Human,
    /// One line each: `file:line:column: error[E0201]: message`
    Short,
    /// One JSON object per line, with byte offsets and edits
    Json,
}

pub(super) fn run(args: &CheckArgs) -> ExitCode {
    let mut found: Vec<Diagnostic> = Vec::new();
    let mut unreadable = false;
    let environment = match environment(args.env_file.as_deref()) {
        Ok(environment) => environment,
        Err(error) => {
            tell(&format!("error: {error}\n"));
            return ExitCode::from(USAGE);
        }
    };
    let mut told = BTreeSet::new();
    for (number, path) in (1..).zip(&args.files) {
        let file = match load::read(path) {
            Ok(file) => file,
            Err(error) => {
                tell(&format!("error: {error}\n"));
                unreadable = true;
                continue;
            }
        };
        let check = if args.for_run { load::check_to_run } else { load::check_within };
        let name = file.name.clone();
        let mut checked = check(file, &mut Disk::beside(path), &environment);
        let texts = Texts::new(&checked.loaded.sources);
        for diagnostic in std::mem::take(&mut checked.diagnostics) {
            let one = std::slice::from_ref(&diagnostic);
            let text = match args.message_format {
                Format::Human => render::human(one, &texts, colour()),
                Format::Short => render::short(one, &texts),
                Format::Json => render::json(one, &texts),
            };
            // A module of several programs has its mistakes once.
            if told.insert(text.clone()) {
                let out = if args.message_format == Format::Human { tell } else { print };
                out(&text);
                found.push(diagnostic);
            }
        }
        if let (true, Some(artifact)) = (args.cost, &checked.artifact) {
            print(&cost::report(&name, artifact, args.message_format));
        }
        if number == args.files.len() {
            // The end of the process frees it faster than we could.
            std::mem::forget(checked);
        }
    }
    if args.message_format == Format::Human && !(unreadable && found.is_empty()) {
        let name = match &args.files[..] {
            [path] if path.as_os_str() == "-" => "<stdin>".to_owned(),
            [path] => path.display().to_string(),
            files => format!("{} files", files.len()),
        };
        tell(&format!("{}\n", render::summary(&found, &name)));
    }
    if unreadable {
        ExitCode::from(USAGE)
    } else if found.iter().any(|diagnostic| diagnostic.level == Level::Error) {
        ExitCode::from(FINDINGS)
    } else {
        ExitCode::SUCCESS
    }
}

/// The values in a file; nothing is known without one.
fn environment(file: Option<&Path>) -> Result<Environment, String> {
    let Some(file) = file else { return Ok(Environment::Unknown) };
    let read = load::read(file).map_err(|error| error.to_string())?;
    Environment::from_lines(&read.text).map_err(|error| format!("{}: {error}", file.display()))
}
