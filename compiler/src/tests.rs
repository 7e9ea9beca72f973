//! Tests of the whole way from a checked program to decisions.

mod agreement;
mod check;
mod corpus;
mod faults;
mod generate;
mod guarded;
mod hirs;
mod limits;
mod native;
mod requests;
mod rng;
mod scaling;
mod semantics;
mod values;
