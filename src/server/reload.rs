//! `twp reload`: asks for a new generation and says how that ended.

use super::{ATTEMPT_LIMIT, DRAIN_LIMIT, Failure, Target, unexpected_answer};
use clap::Args;
use std::process::ExitCode;
use twp_runtime::control::{Answer, ReloadResult, Request};

/// Returns when the new generation serves (0) or was refused (1, with its diagnostics)
#[derive(Debug, Args)]
pub(super) struct ReloadArgs {
    #[command(flatten)]
    target: Target,
    /// Wait also until older generations have drained
    #[arg(long)]
    wait: bool,
}

pub(super) fn run(args: &ReloadArgs) -> Result<ExitCode, Failure> {
    let limit = if args.wait { DRAIN_LIMIT } else { ATTEMPT_LIMIT };
    let reload = match args.target.ask(&Request::Reload { wait: args.wait }, limit)? {
        Answer::Reloaded(reload) => reload,
        Answer::Status(_) | Answer::Stopping => return Err(unexpected_answer()),
    };
    let generation = reload.generation;
    let text = reload.text.trim_end();
    match reload.result {
        ReloadResult::Serves => {
            println!("generation {generation} serves");
            return Ok(ExitCode::SUCCESS);
        }
        ReloadResult::Refused => {
            eprintln!("{text}\nerror: the new configuration was refused; nothing has changed");
        }
        ReloadResult::Failed => eprintln!("error: generation {generation} {text}; nothing has changed"),
        ReloadResult::RolledBack => {
            eprintln!("error: generation {generation} {text}; the one before serves again");
        }
        ReloadResult::Superseded => eprintln!("error: superseded by a newer change"),
    }
    Ok(ExitCode::FAILURE)
}
