//! The compiler: a checked program in, an [`Artifact`] out.
//!
//! *Topology is data, decisions are code.* The [`plan`] holds listeners, upstreams, limits and what each route does;
//! the [`Program`] decides which route a request takes. [Core](mod@core) and the match IR stand in between;
//! [`interp`] walks Core plainly and is the oracle that every engine is tested against.

pub mod abi;
pub mod core;
pub mod cost;
pub mod effects;
pub mod interp;
pub mod plan;

mod build;
mod capture;
mod codegen;
mod dump;
mod engine;
mod fold;
mod ir;
mod jit;
mod limits;
mod lookup;
mod lower;
mod native;
mod plan_build;
mod predicate;
mod quick_hash;
mod request;
mod slots;
mod table;
mod text_map;

#[cfg(any(test, feature = "testing"))]
pub mod testing;
#[cfg(test)]
mod tests;

pub use dump::{dump_asm, dump_clif, dump_core, dump_ir};
pub use engine::{Engine, EngineChoice, Program, Symbol};
pub use lower::lower;
pub use plan_build::Artifact;
pub use request::Request;
pub use slots::SlotIndex;
pub use twp_lang::limits::SOURCE_BYTES_MAX;
pub use twp_lang::{literal, target};

use twp_lang::{Diagnostic, hir};

/// What compiling leaves behind. To free it takes a while for a large program, so who waits for the artifact may do
/// that later.
#[derive(Debug)]
pub struct Leftovers {
    _core: core::Core,
    _ir: ir::Ir,
}

/// Compiles a checked program. The errors are exceeded limits, each with its place and a remedy.
pub fn compile(program: &hir::Program) -> Result<Artifact, Vec<Diagnostic>> {
    compile_within(program, limits::MachineLimits::DEFAULT)
}

/// As [`compile`], and gives what can be freed later.
pub fn compile_and_keep(program: &hir::Program) -> Result<(Artifact, Leftovers), Vec<Diagnostic>> {
    compile_and_keep_within(program, limits::MachineLimits::DEFAULT)
}

fn compile_within(
    program: &hir::Program,
    limits: limits::MachineLimits,
) -> Result<Artifact, Vec<Diagnostic>> {
    compile_and_keep_within(program, limits).map(|(artifact, _)| artifact)
}

fn compile_and_keep_within(
    program: &hir::Program,
    limits: limits::MachineLimits,
) -> Result<(Artifact, Leftovers), Vec<Diagnostic>> {
    let mut core = lower(program)?;
    fold::fold(&mut core);
    let (artifact, ir) = plan_build::build(program, &core, limits)?;
    Ok((artifact, Leftovers { _core: core, _ir: ir }))
}
