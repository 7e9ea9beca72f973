//! `twp stop`: asks a supervisor to drain and end.

use super::{ANSWER_LIMIT, DRAIN_LIMIT, Failure, Target, unexpected_answer};
use clap::Args;
use std::process::ExitCode;
use twp_runtime::control::{self, Answer, Request};

/// Returns when draining has begun; new clients are refused from then on
#[derive(Debug, Args)]
pub(super) struct StopArgs {
    #[command(flatten)]
    target: Target,
    /// Wait until everything has drained and the process has ended
    #[arg(long)]
    wait: bool,
}

pub(super) fn run(args: &StopArgs) -> Result<ExitCode, Failure> {
    if args.wait {
        let socket = args.target.socket()?;
        control::stop_and_wait(&socket, DRAIN_LIMIT).map_err(|error| args.target.explain(&socket, &error))?;
        println!("stopped");
        return Ok(ExitCode::SUCCESS);
    }
    match args.target.ask(&Request::Stop, ANSWER_LIMIT)? {
        Answer::Stopping => println!("stopping"),
        Answer::Reloaded(_) | Answer::Status(_) => return Err(unexpected_answer()),
    }
    Ok(ExitCode::SUCCESS)
}
