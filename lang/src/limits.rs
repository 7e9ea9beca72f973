//! Every bound of the language crate with the reason for its value.

/// Bytes of one source file: forty times the largest real configuration we know of.
pub const SOURCE_BYTES_MAX: usize = 4 << 20;

/// Open brackets at one place. People stay below ten; parsing recurses with each, so the bound keeps the stack small.
pub const NESTING_MAX: usize = 64;

/// Levels of one expression tree. Every later stage walks the tree recursively.
pub const EXPR_DEPTH_MAX: usize = 256;

/// Diagnostics of one file: who has more reads the first ones and tries again.
pub const DIAGNOSTICS_MAX: usize = 100;

/// Steps of the parser generator in one piece; a statement of a thousand lines takes a hundredth of it.
pub const PARSER_STEPS_MAX: usize = 100_000_000;

/// Bytes of a word that suggestions are looked up for; comparing costs the product of both lengths.
pub const SUGGESTION_BYTES_MAX: usize = 64;
