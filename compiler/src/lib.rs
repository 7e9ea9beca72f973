//! The compiler: a checked program in, an [`Artifact`] out.
//!
//! *Topology is data, decisions are code.* The [`plan`] holds listeners, upstreams, limits and what each route does;
//! the [`Program`](engine::Program) decides which route a request takes. Core and the match IR stand in between;
//! [`interp`] walks Core plainly and is the oracle that every engine is tested against.

pub mod abi;
pub mod plan;

pub use twp_lang::target;
