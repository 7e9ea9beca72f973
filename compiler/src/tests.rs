//! Tests of the whole way from a checked program to decisions.

mod agreement;
mod check;
mod corpus;
mod generate;
mod hirs;
mod limits;
mod requests;
mod rng;
mod scaling;
mod semantics;
