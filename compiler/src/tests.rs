//! Tests of the whole way from a checked program to decisions.

mod agreement;
pub(crate) mod corpus;
mod faults;
mod hirs;
mod limits;
mod lines;
mod native;
mod reuse;
mod scaling;
mod semantics;
mod values;
