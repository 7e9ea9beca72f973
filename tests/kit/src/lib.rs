//! What the tests of the two programs share: a scripted origin, a raw client, a started `twp`, and the ledger.
//!
//! Plain blocking code on the standard library alone, so that a failure in a test is never a failure of the
//! libraries under test. Nothing here knows the product's crates.

mod ledger;
mod message;
mod origin;
mod program;
mod raw;
mod scratch;

pub use ledger::{Options, Report, run};
pub use message::{Message, read_request, read_response};
pub use origin::{Origin, Reply, Then};
pub use program::{Program, free_port};
pub use raw::{Ended, Raw, Seen, exchange};
pub use scratch::Scratch;
