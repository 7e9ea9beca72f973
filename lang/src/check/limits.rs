//! Bounds of what a program may say.

/// Depth of expressions and of blocks in blocks: that of the parser, for what it builds without brackets.
pub(super) const NESTING_MAX: usize = crate::limits::EXPR_DEPTH_MAX;
/// Bytes of a compiled regular expression, asked of the parser as nesting and of the compiler as size.
pub(super) const REGEX_BYTES_MAX: usize = 4096;
/// Depth of groups inside a regular expression.
pub(super) const REGEX_NESTING_MAX: u32 = 32;
/// States that counted repetitions of a regular expression unfold to.
pub(super) const REGEX_STATES_MAX: u64 = 10_000;
