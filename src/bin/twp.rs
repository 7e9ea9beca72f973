//! The program `twp`: serves a configuration.

use std::process::ExitCode;

fn main() -> ExitCode {
    twp::server::main()
}
