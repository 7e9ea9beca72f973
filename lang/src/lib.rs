//! The twp language: text in, data out.
//!
//! [`parse`] turns text into a syntax tree, [`check`] turns the tree into a typed program; both always return a
//! value and report what is wrong as [`Diagnostic`]s. This crate never fails, never reads a file, a clock or the
//! environment, and never prints.

pub mod ast;
pub mod diagnostic;
pub mod hir;
pub mod literal;
pub mod span;
pub mod target;

pub use diagnostic::{Diagnostic, Help, Label, Level, Patch};
pub use span::Span;
