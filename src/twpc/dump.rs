//! `twpc dump`: shows what the compiler makes of a file at one of its stages.

use super::{FINDINGS, USAGE, colour, print, tell};
use crate::files::Disk;
use crate::load::{self, Checked};
use crate::render::{self, Texts};
use clap::{Args, ValueEnum};
use std::path::PathBuf;
use std::process::ExitCode;
use twp_lang::Diagnostic;
use twp_lang::module::Module;

const HELP: &str = "\
Examples:
  twpc dump --stage ast site.twp     what was written, also of a file with errors
  twpc dump --stage core site.twp    sites with their routes in order, names resolved, constants folded
  twpc dump --stage ir site.twp      the decision graph and the effects that the server runs
  twpc dump --stage asm site.twp     the machine code for its first levels and conditions";

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
    /// Cranelift's intermediate code of the native part, with the fields it reads by name
    Clif,
    /// Its assembly, for the machine this runs on
    Asm,
}

pub(super) fn run(args: &DumpArgs) -> ExitCode {
    let file = match load::read(&args.file) {
        Ok(file) => file,
        Err(error) => {
            tell(&format!("error: {error}\n"));
            return ExitCode::from(USAGE);
        }
    };
    let checked = load::check(file, &mut Disk::beside(&args.file));
    let texts = Texts::new(&checked.loaded.sources);
    tell(&render::human(&checked.diagnostics, &texts, colour()));
    match show(args.stage, &checked) {
        Ok(Some(Err(reason))) => {
            tell(&format!("error: there is no native code: {reason}\n"));
            ExitCode::from(FINDINGS)
        }
        Ok(Some(Ok(text))) => {
            print(&text);
            ExitCode::SUCCESS
        }
        Ok(None) => ExitCode::from(FINDINGS),
        Err(diagnostics) => {
            tell(&render::human(&diagnostics, &texts, colour()));
            ExitCode::from(FINDINGS)
        }
    }
}

/// The text of a stage; `None` when the file did not get that far.
///
/// The inner error says why this machine has no native code.
fn show(stage: Stage, checked: &Checked) -> Result<Option<Result<String, String>>, Vec<Diagnostic>> {
    let artifact = checked.artifact.as_ref();
    match stage {
        Stage::Ast => Ok(Some(Ok(trees(&checked.loaded.modules)))),
        Stage::Core => {
            let core = checked.program.as_ref().map(twp_compiler::dump_core).transpose()?;
            Ok(core.map(Ok))
        }
        Stage::Ir => Ok(artifact.map(twp_compiler::dump_ir).map(Ok)),
        Stage::Clif => Ok(artifact.map(twp_compiler::dump_clif)),
        Stage::Asm => Ok(artifact.map(twp_compiler::dump_asm)),
    }
}

/// The trees of all modules, each but the entry file's under its name.
fn trees(modules: &[Module]) -> String {
    let mut out = String::new();
    for module in modules {
        if !module.name.is_empty() {
            out.extend(["module ", &module.name, "\n"]);
        }
        out.push_str(&twp_lang::dump_ast(&module.tree));
    }
    out
}
