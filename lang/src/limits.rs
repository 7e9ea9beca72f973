//! Every bound of the language crate with the reason for its value.

/// Bytes of one source file: 100,000 routes with names, methods and guards take 10 MiB. Every later stage is linear in
/// it, so this is about a gigabyte while checking.
pub const SOURCE_BYTES_MAX: usize = 16 << 20;

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

/// Files of one program. Each has a number of 16 bits and is watched; a hundred teams with ten files each fit.
pub const FILES_MAX: usize = 4096;

/// Bytes of all files of one program: the supervisor keeps them, to start again what served last.
pub const PROGRAM_BYTES_MAX: usize = 32 << 20;

/// Bytes of one data file: a table of 100,000 lines has a quarter of it.
pub const DATA_BYTES_MAX: usize = 16 << 20;

/// Folders between the entry file and a module. Trees of people have three; the bound keeps paths short.
pub const MODULE_DEPTH_MAX: usize = 16;
