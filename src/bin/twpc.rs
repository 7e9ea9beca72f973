//! The program `twpc`: checks and shows configurations, without touching the network.

use std::process::ExitCode;

fn main() -> ExitCode {
    twp::twpc::main()
}
