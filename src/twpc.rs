//! The command `twpc`: finds mistakes, shows what the compiler makes of a file, explains diagnostics.
//!
//! One file per subcommand below; this one reads the command line. Nothing here touches the network.

mod check;
mod cost;
mod dump;
mod explain;

use clap::{Parser, Subcommand};
use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;

/// Checks configurations of twp and shows what the compiler makes of them
#[derive(Debug, Parser)]
#[command(name = "twpc", version, after_help = EXAMPLES)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

const EXAMPLES: &str = "\
Examples:
  twpc check site.twp                            find every mistake; no network
  twpc check --message-format short *.twp        one line per finding, for editors and grep
  generate-config | twpc check -                 check what another program writes
  twpc check --cost site.twp                     what a request can cost at most, per site
  twpc explain E0304                             what a code means, with an example
  twpc dump --stage ir site.twp                  the decision graph the server walks

Exit codes:
  0  nothing found, or warnings only
  1  the file has errors
  2  the command line was wrong, or a file could not be read";

#[derive(Debug, Subcommand)]
enum Command {
    /// Find every mistake in files
    Check(check::CheckArgs),
    /// Show what the compiler makes of a file
    Dump(dump::DumpArgs),
    /// Describe a diagnostic and its remedy
    Explain(explain::ExplainArgs),
}

/// Runs the command that the arguments of the process name.
pub fn main() -> ExitCode {
    // Clap ends the process with 2 for a wrong command line and with 0 after `--help`.
    match Cli::parse().command {
        Command::Check(args) => check::run(&args),
        Command::Dump(args) => dump::run(&args),
        Command::Explain(args) => explain::run(&args),
    }
}

/// The file has errors.
const FINDINGS: u8 = 1;
/// The command line was wrong, or a file could not be read.
const USAGE: u8 = 2;

/// Prints for a pipe or a person; a reader that went away is not our failure.
fn print(text: &str) {
    let _ = io::stdout().lock().write_all(text.as_bytes());
}

/// Prints for a person.
fn tell(text: &str) {
    let _ = io::stderr().lock().write_all(text.as_bytes());
}

/// Whether a person's terminal shows colours (`NO_COLOR` as in no-color.org).
fn colour() -> bool {
    io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}
