//! The twp language: text in, data out.
//!
//! [`load`] turns the text of the entry file, and what that uses, into syntax trees; [`check_program`] turns them into a
//! typed program. Both always return a value and report what is wrong as [`Diagnostic`]s. This crate never fails, never
//! reads a file (whoever calls it brings [`Files`]), a clock or the environment, and never prints.

pub mod ast;
pub mod catalogue;
mod check;
pub mod diagnostic;
mod dump;
pub mod explain;
pub mod hir;
pub mod limits;
pub mod literal;
pub mod module;
mod parse;
mod scan;
pub mod source;
pub mod span;
mod suggest;
pub mod target;

pub use check::{LINTS, check, check_program};
pub use diagnostic::{Diagnostic, Help, Label, Level, Patch};
pub use dump::dump_ast;
pub use module::{Files, Loaded, load};
pub use parse::{parse, parse_source};
pub use source::{Source, Sources};
pub use span::Span;
