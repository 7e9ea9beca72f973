//! The parser generated from `twp.pest`; visible to `parse` only.

use pest_derive::Parser;

#[derive(Parser)]
#[grammar = "twp.pest"]
pub(super) struct Grammar;
