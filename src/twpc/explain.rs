//! `twpc explain`: the reference page of a diagnostic code.

use super::{USAGE, print, tell};
use clap::Args;
use std::process::ExitCode;
use twp_lang::explain::{code_of_lint, explain};

/// Arguments of `twpc explain`
#[derive(Debug, Args)]
pub(super) struct ExplainArgs {
    /// A code such as `E0304`, or the name of a lint such as `unreachable_route`
    code: String,
}

pub(super) fn run(args: &ExplainArgs) -> ExitCode {
    let asked = args.code.trim();
    // Codes are found in any case; names of lints are written in small letters.
    let code = code_of_lint(asked).map_or_else(|| asked.to_ascii_uppercase(), str::to_owned);
    let Some(page) = explain(&code) else {
        tell(&format!("error: there is no diagnostic `{asked}`; codes look like `E0304` or `L0401`\n"));
        return ExitCode::from(USAGE);
    };
    print(&format!("{code}: {page}"));
    ExitCode::SUCCESS
}
