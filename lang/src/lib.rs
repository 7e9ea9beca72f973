//! The twp language: text in, data out.
//!
//! [`parse`] turns text into a syntax tree, [`check`] turns the tree into a typed program; both always return a
//! value and report what is wrong as [`Diagnostic`]s. This crate never fails, never reads a file, a clock or the
//! environment, and never prints.

pub mod ast;
pub mod catalogue;
mod check;
pub mod diagnostic;
mod dump;
pub mod explain;
pub mod hir;
pub mod limits;
pub mod literal;
mod parse;
mod scan;
pub mod span;
mod suggest;
pub mod target;

pub use check::{LINTS, check};
pub use diagnostic::{Diagnostic, Help, Label, Level, Patch};
pub use dump::dump_ast;
pub use parse::{parse, parse_source};
pub use span::Span;
