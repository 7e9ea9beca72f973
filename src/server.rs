//! The command `twp`: runs a configuration and talks to one that runs.
//!
//! One file per subcommand below; this one reads the command line and turns failures into exit codes.

mod notices;
mod reload;
mod run;
mod serve;
mod status;
mod stop;

use clap::{Args, Parser, Subcommand, ValueEnum};
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;
use twp_compiler::EngineChoice;
use twp_runtime::control::{self, Answer, Request, Status};

/// Serves a configuration and replaces itself when the file changes, without losing a request
#[derive(Debug, Parser)]
#[command(name = "twp", version, after_help = EXAMPLES)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

const EXAMPLES: &str = "\
Examples:
  twp run site.twp             serve; a saved change is served within a second, a broken one changes nothing
  twp status                   what runs: generations, connections, the last reload
  twp reload site.twp          start a new generation now, and say whether it serves
  twp stop --wait site.twp     let open connections finish, then return

twpc check site.twp finds mistakes without serving anything.

Signals to `twp run`:
  HUP    reload              TERM   drain and exit; a second one cuts what is left
  INT    as TERM, but with a drain of two seconds

Exit codes:
  0  done
  1  it could not be done: a configuration with errors or with what this version does not serve, a busy port,
     nothing running
  2  the command line was wrong";

#[derive(Debug, Subcommand)]
enum Command {
    /// Serve a configuration until told to stop
    Run(run::RunArgs),
    /// Start a new generation from the file as it is now
    Reload(reload::ReloadArgs),
    /// Show what runs
    Status(status::StatusArgs),
    /// Drain and end what runs
    Stop(stop::StopArgs),
    /// One generation; started by `twp run`
    #[command(hide = true)]
    Serve(serve::ServeArgs),
}

/// Which supervisor a command speaks to.
#[derive(Debug, Args)]
struct Target {
    /// The configuration file that runs; may be left out when only one does
    file: Option<PathBuf>,
    /// Its control socket, where `twp run --control` named one
    #[arg(long, value_name = "PATH")]
    control: Option<PathBuf>,
}

/// How diagnostics are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum MessageFormat {
    /// With source excerpts
    Human,
    /// One line each
    Short,
    /// One JSON object a line
    Json,
}

impl MessageFormat {
    fn as_str(self) -> &'static str {
        match self {
            MessageFormat::Human => "human",
            MessageFormat::Short => "short",
            MessageFormat::Json => "json",
        }
    }
}

/// How routes are decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum EngineArg {
    /// Native code where the machine allows it, else tables
    Auto,
    /// Native code; without it nothing is served
    Native,
    /// Tables
    Table,
}

impl EngineArg {
    fn as_str(self) -> &'static str {
        self.choice().word()
    }

    fn choice(self) -> EngineChoice {
        match self {
            EngineArg::Auto => EngineChoice::Auto,
            EngineArg::Native => EngineChoice::Native,
            EngineArg::Table => EngineChoice::Table,
        }
    }
}

/// Why a command failed, and what to do about it.
#[derive(Debug)]
struct Failure {
    message: String,
    help: Option<String>,
}

impl Failure {
    fn new(message: impl Into<String>) -> Failure {
        Failure { message: message.into(), help: None }
    }

    fn help(mut self, help: impl Into<String>) -> Failure {
        self.help = Some(help.into());
        self
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "error: {}", self.message)?;
        match &self.help {
            Some(help) => write!(f, "\n  help: {help}"),
            None => Ok(()),
        }
    }
}

/// Runs the command that the arguments of this process name.
pub fn main() -> ExitCode {
    let result = match Cli::parse().command {
        Command::Run(args) => run::run(args),
        Command::Reload(args) => reload::run(&args),
        Command::Status(args) => status::run(&args),
        Command::Stop(args) => stop::run(&args),
        Command::Serve(args) => serve::run(&args),
    };
    result.unwrap_or_else(|failure| {
        eprintln!("{failure}");
        ExitCode::FAILURE
    })
}

/// An answer that needs no waiting comes within this, or the supervisor hangs.
const ANSWER_LIMIT: Duration = Duration::from_secs(10);
/// A whole attempt: the time it has to become ready, to be confirmed, and as much again for a busy machine.
const ATTEMPT_LIMIT: Duration = Duration::from_mins(3);
/// Draining may take as long as the configuration says; a day is longer than anybody waits.
const DRAIN_LIMIT: Duration = Duration::from_hours(24);

impl Target {
    /// The control socket that is meant; looks for the only one that answers when no file is named.
    fn socket(&self) -> Result<PathBuf, Failure> {
        if let Some(control) = &self.control {
            return Ok(control.clone());
        }
        if let Some(file) = &self.file {
            return control::default_path(file)
                .map_err(|error| Failure::new(format!("{}: {error}", file.display())));
        }
        let mut running = living();
        match (running.pop(), running.is_empty()) {
            (None, _) => Err(Failure::new("nothing runs here").help("start it with `twp run site.twp`")),
            (Some((path, _)), true) => Ok(path),
            (Some(last), false) => {
                running.push(last);
                let files: Vec<String> = running.iter().map(|(_, s)| s.file.display().to_string()).collect();
                Err(Failure::new("several configurations run")
                    .help(format!("name one: {}", files.join(", "))))
            }
        }
    }

    /// Asks the supervisor; says in words when none answers.
    fn ask(&self, request: &Request, limit: Duration) -> Result<Answer, Failure> {
        let socket = self.socket()?;
        control::ask(&socket, request, limit).map_err(|error| self.explain(&socket, &error))
    }

    fn explain(&self, socket: &Path, error: &io::Error) -> Failure {
        let file = self.file.as_deref().unwrap_or(Path::new("site.twp")).display();
        match error.kind() {
            io::ErrorKind::ConnectionRefused => {
                Failure::new(format!("the twp that answered at {} was killed", socket.display())).help(format!(
                    "what it started may still serve: `pgrep -fa 'twp serve'` shows it, `kill PID` drains it; then \
                     `twp run {file}`"
                ))
            }
            io::ErrorKind::NotFound => {
                let what = match (&self.control, &self.file) {
                    (Some(control), _) => format!("nothing answers at {}", control.display()),
                    (None, Some(file)) => format!("nothing runs for {}", file.display()),
                    (None, None) => "nothing runs here".to_owned(),
                };
                let help = format!(
                    "start it with `twp run {file}`; `twp status` lists what runs in the usual place"
                );
                Failure::new(what).help(help)
            }
            io::ErrorKind::PermissionDenied => {
                Failure::new(format!("{} belongs to another user", socket.display()))
                    .help("use the account that started it, or root")
            }
            io::ErrorKind::UnexpectedEof => {
                Failure::new("it ended, or refused the question, before it answered")
            }
            io::ErrorKind::TimedOut => Failure::new("it did not answer in time"),
            _ => Failure::new(format!("{}: {error}", socket.display())),
        }
    }
}

/// What answers in the usual place.
fn living() -> Vec<(PathBuf, Status)> {
    let status = |path: PathBuf| match control::ask(&path, &Request::Status, ANSWER_LIMIT) {
        Ok(Answer::Status(status)) => Some((path, *status)),
        Ok(Answer::Reloaded(_) | Answer::Stopping) | Err(_) => None,
    };
    control::sockets().into_iter().filter_map(status).collect()
}

fn unexpected_answer() -> Failure {
    Failure::new("it answered something else than was asked").help("is it another release of twp?")
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory as _;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn help_shows_examples_and_exit_codes_and_hides_what_is_internal() {
        let help = Cli::command().render_help().to_string();
        assert!(help.contains("twp run site.twp") && help.contains("Exit codes"), "{help}");
        assert!(!help.contains("serve "), "{help}");
    }
}
