//! `twpc dump`: shows what the compiler makes of a file at one of its stages.

use super::{FINDINGS, USAGE, colour, print, tell};
use crate::load::{self, Checked};
use crate::render::{self, Source};
use clap::{Args, ValueEnum};
use std::path::PathBuf;
use std::process::ExitCode;
use twp_lang::Diagnostic;

const HELP: &str = "\
Examples:
  twpc dump --stage ast site.twp     what was written, also of a file with errors
  twpc dump --stage core site.twp    sites with their routes in order, names resolved, constants folded
  twpc dump --stage ir site.twp      the decision graph and the effects that the server runs";

/// Arguments of `twpc dump`
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub(super) struct DumpArgs {
    /// The stage to show
    #[arg(long, value_enum)]
    stage: Stage,
    /// The file; `-` is standard input
    file: PathBuf,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Stage {
    /// The syntax tree
    Ast,
    /// The checked program as the reference interpreter reads it
    Core,
    /// Conditions, decision graph and effects
    Ir,
}

pub(super) fn run(args: &DumpArgs) -> ExitCode {
    let file = match load::read(&args.file) {
        Ok(file) => file,
        Err(error) => {
            tell(&format!("error: {error}\n"));
            return ExitCode::from(USAGE);
        }
    };
    let checked = load::check(&file.text);
    let source = Source::new(&file.name, &file.text);
    tell(&render::human(&checked.diagnostics, &source, colour()));
    match show(args.stage, &checked) {
        Ok(Some(text)) => {
            print(&text);
            ExitCode::SUCCESS
        }
        Ok(None) => ExitCode::from(FINDINGS),
        Err(diagnostics) => {
            tell(&render::human(&diagnostics, &source, colour()));
            ExitCode::from(FINDINGS)
        }
    }
}

/// The text of a stage; `None` when the file did not get that far.
fn show(stage: Stage, checked: &Checked) -> Result<Option<String>, Vec<Diagnostic>> {
    match stage {
        Stage::Ast => Ok(Some(twp_lang::dump_ast(&checked.tree))),
        Stage::Core => checked.program.as_ref().map(twp_compiler::dump_core).transpose(),
        Stage::Ir => Ok(checked.artifact.as_ref().map(twp_compiler::dump_ir)),
    }
}
