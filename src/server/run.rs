//! `twp run`: supervises the generations of one configuration.

use super::{EngineArg, Failure, MessageFormat, notices::Notices};
use clap::Args;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use twp_runtime::control;
use twp_runtime::supervisor::{self, Config, Ending};

/// Arguments of `twp run`.
#[derive(Debug, Args)]
pub(super) struct RunArgs {
    /// The configuration file
    file: PathBuf,
    /// Where to answer `twp reload`, `twp status` and `twp stop` [default: named after the file, in /run/twp for
    /// root and `$XDG_RUNTIME_DIR/twp` for others]
    #[arg(long, value_name = "PATH")]
    control: Option<PathBuf>,
    /// Worker threads; goes before the file's `workers` [default: one per core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    workers: Option<u16>,
    /// How diagnostics are written
    #[arg(long, value_enum, default_value = "human", value_name = "FORMAT")]
    message_format: MessageFormat,
    /// How routes are decided
    #[arg(long, value_enum, default_value = "auto", value_name = "ENGINE")]
    engine: EngineArg,
    /// Let `perf report` name native code: each generation writes `/tmp/perf-PID.map`, readable by its user only, and
    /// leaves it there, since profiles are read later
    #[arg(long)]
    perf_map: bool,
}

pub(super) fn run(args: RunArgs) -> Result<ExitCode, Failure> {
    let RunArgs { file, control, workers, message_format, engine, perf_map } = args;
    if file.as_os_str() == "-" {
        return Err(Failure::new("a configuration that runs has to be a file, so that it can be read again"));
    }
    let control = match control {
        Some(path) => path,
        None => control::default_path(&file)
            .map_err(|error| Failure::new(format!("{}: {error}", file.display())))?,
    };
    let program = std::env::current_exe()
        .map_err(|error| Failure::new(format!("cannot find the program of twp itself: {error}")))?;
    let mut notices = Notices::new();
    let color = if notices.is_colored() { "always" } else { "never" };
    let mut arguments: Vec<OsString> =
        ["serve", "--message-format", message_format.as_str(), "--color", color].map(OsString::from).into();
    arguments.extend(["--engine", engine.as_str()].map(OsString::from));
    if perf_map {
        arguments.push("--perf-map".into());
    }
    arguments.push("--".into());
    arguments.push(file.clone().into());
    let config = Config { file: file.clone(), control: control.clone(), workers, program, arguments };
    match supervisor::run(config, &mut |notice| notices.print(&notice)) {
        Ok(Ending::Stopped) => Ok(ExitCode::SUCCESS),
        Ok(Ending::NothingToServe) => Ok(ExitCode::FAILURE),
        Err(error) => Err(explain(&file, &control, &error)),
    }
}

fn explain(file: &Path, control: &Path, error: &io::Error) -> Failure {
    let (file, control) = (file.display(), control.display());
    match error.kind() {
        io::ErrorKind::AddrInUse => Failure::new(format!("twp runs already and answers at {control}"))
            .help(format!("`twp reload {file}` makes it read the file again, `twp stop {file}` ends it")),
        _ => Failure::new(format!("cannot use the control socket {control}: {error}"))
            .help("choose another place with --control PATH"),
    }
}
