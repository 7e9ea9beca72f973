//! What the programs `twp` and `twpc` share: reading files, showing diagnostics, and one module per program.
//!
//! Everything that parses a command line, prints or chooses an exit code is here; the crates below are used through
//! their public functions.

pub mod environment;
pub mod files;
pub mod load;
pub mod render;
pub mod server;
pub mod twpc;
